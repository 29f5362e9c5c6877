import { expect, test } from 'vitest';
import { awaitSitesOf, missedPoints } from '#sim/faults/crash-points.ts';

const source = `/** Awaits nothing: await is a word here. */
export async function role() {
  const one = await first(
    (two) => two,
    three,
  );
  // await nothing
  return (await last()) ?? one;
}
`;

test('every await of a source is a crash point, up to its closing parenthesis', () => {
  expect(awaitSitesOf('role.ts', source)).toEqual([
    {
      line: 'role.ts:3',
      lines: ['role.ts:3', 'role.ts:4', 'role.ts:5', 'role.ts:6'],
      code: 'const one = await first(',
    },
    { line: 'role.ts:8', lines: ['role.ts:8'], code: 'return (await last()) ?? one;' },
  ]);
});

test('awaits without a crash are listed, before and after', () => {
  const struck = new Set(['role.ts:5 before', 'role.ts:8 after']);
  expect(missedPoints(awaitSitesOf('role.ts', source), struck)).toEqual([
    'role.ts:3 after',
    'role.ts:8 before',
  ]);
});

test('a documented exception is left out, and one that no longer exists is named', () => {
  const known = [
    { file: 'role.ts', code: 'const one = await first(', why: 'rare' },
    { file: 'role.ts', code: 'await third();', why: 'rare' },
  ];
  expect(
    missedPoints(awaitSitesOf('role.ts', source), new Set(['role.ts:8 after']), known),
  ).toEqual(['role.ts:8 before', 'role.ts has no longer: await third();']);
});
