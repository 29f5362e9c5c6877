import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import { mistakes } from './mistakes.ts';

test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
  '%s: its text occurs once in the code that it changes',
  (_, { file, text, instead }) => {
    const source = readFileSync(file, 'utf8');
    expect(plantMistake(source, { text, instead })).not.toBe(source);
  },
);

test('the documentation has their number', () => {
  expect(readFileSync('docs/mutation.md', 'utf8')).toContain(`plants ${mistakes.length} mistakes`);
});
