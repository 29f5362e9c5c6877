import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from '#sim/mutants/mutants.ts';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';

test.each(mutants)('$name: its text occurs once in the code', ({ file, text, instead }) => {
  const source = readFileSync(`lib/${file}`, 'utf8');
  expect(plantMistake(source, { text, instead })).not.toBe(source);
});

const source = 'call(\n  one,\n  two,\n);\ncall(one);';

test('a mistake replaces code with other formatting, and nothing around it', () => {
  const planted = plantMistake(source, { text: 'call(one, two)', instead: 'call(two)' });
  expect(planted).toBe('call(two);\ncall(one);');
});

test.each([
  ['call(three)', /nowhere/],
  ['call(one', /more than once/],
])('%s cannot be replaced in code that contains it %s', (text, message) => {
  expect(() => plantMistake(source, { text, instead: '' })).toThrow(message);
});

test('no mistake is listed twice', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(new Set(mutants.map(({ text, instead }) => `${text} ${instead}`)).size).toBe(
    mutants.length,
  );
});
