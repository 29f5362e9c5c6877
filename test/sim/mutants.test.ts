import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutantsOfCore } from '#sim/mutants/mutants-of-core.ts';
import { mutantsOfRoles } from '#sim/mutants/mutants-of-roles.ts';

const mutants = [...mutantsOfCore, ...mutantsOfRoles];

test.each(mutants)('$name: the code has that place, once', ({ file, text, instead }) => {
  const source = readFileSync(`lib/${file}`, 'utf8');
  expect(source.split(text)).toHaveLength(2);
  expect(instead).not.toBe(text);
});

test('no mistake is planted twice', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(new Set(mutants.map(({ text, instead }) => `${text} ${instead}`)).size).toBe(
    mutants.length,
  );
});
