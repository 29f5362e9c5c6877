import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mistakes } from './mistakes.ts';

test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
  '%s: its text stands once in the code that it changes',
  (_, { file, text, instead }) => {
    expect(readFileSync(file, 'utf8').split(text).length - 1).toBe(1);
    expect(instead).not.toBe(text);
  },
);
