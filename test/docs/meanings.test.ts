/** The tables of codes and events: what is in them is raised or logged somewhere, and has a meaning of one sentence. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '#core/model/error-codes.ts';
import { faultCodes } from '#core/model/fault-codes.ts';
import { logEvents } from '#ports/log-events/log-events.ts';

const tables = [
  'lib/core/model/error-codes.ts',
  'lib/core/model/fault-codes.ts',
  'lib/ports/log-events/log-events.ts',
];
const source = globSync('{lib,lambdas,bin}/**/*.ts', { exclude: ['lib/console/dist/**'] })
  .filter((file) => !tables.includes(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Names that the code nowhere contains as a string. */
const unused = (names: readonly string[], code: string) =>
  names.filter((name) => !code.includes(`'${name}'`));

const isSentence = (text: string) => /^[A-Z`][^\n]*[^.\s]\.$/.test(text) && !/\. /.test(text);

const errors = Object.values(errorCodes).flatMap((codes) => Object.entries<string>(codes));
const faults = Object.entries(faultCodes).map(([name, { meaning }]) => [name, meaning] as const);
const events = Object.entries(logEvents).map(([name, { meaning }]) => [name, meaning] as const);

test('every code of an error is raised somewhere', () => {
  expect(errors.length).toBeGreaterThan(70);
  expect(
    unused(
      errors.map(([code]) => code),
      source,
    ),
  ).toEqual([]);
});

test('every event is logged somewhere', () => {
  expect(events.length).toBeGreaterThan(40);
  expect(
    unused(
      events.map(([event]) => event),
      source,
    ),
  ).toEqual([]);
});

test('every code of a fault is given somewhere, and the core gives no other', () => {
  expect(faults.length).toBeGreaterThan(10);
  expect(
    unused(
      faults.map(([code]) => code),
      source,
    ),
  ).toEqual([]);
  const core = globSync(['lib/core/decide/*.ts', 'lib/core/definition/output.ts'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const codes = [...core.matchAll(/\bcode: '([\w-]+)'/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !Object.hasOwn(faultCodes, code))).toEqual([]);
});

test('every meaning is one sentence', () => {
  expect([...errors, ...faults, ...events].filter(([, meaning]) => !isSentence(meaning))).toEqual(
    [],
  );
});

test('a name that the code does not contain is found, and so is a meaning that is no sentence', () => {
  expect(unused(['ab', 'cd'], "raise('cd')")).toEqual(['ab']);
  expect(['It fails.', 'it fails.', 'It fails', 'It fails. It is lost.'].map(isSentence)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
