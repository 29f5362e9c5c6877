/** With which commit a change is compared, and what follows from the figures. */
import { expect, test } from 'vitest';
import { baseCommit, type Git } from '../../bench/throughput/base-commit.ts';
import { noiseOf } from '../../bench/throughput/noise.ts';
import { verdict } from '../../bench/throughput/verdict.ts';

interface History {
  readonly head?: string;
  readonly parent?: string;
  readonly release?: string;
  readonly fork?: string;
  readonly isChanged?: boolean;
}

const gitOf =
  ({ head, parent, release, fork, isChanged = true }: History): Git =>
  (command, ...args) => {
    if (command === 'describe') return release ?? null;
    if (command === 'merge-base') return fork ?? null;
    if (command === 'diff') return isChanged ? null : '';
    return (args.includes('HEAD') ? head : parent) ?? null;
  };

test.each<readonly [string, History, string]>([
  ['the last release', { head: 'c', parent: 'b', release: 'v1.0.0', fork: 'a' }, 'v1.0.0'],
  ['where the branch began', { head: 'c', parent: 'b', fork: 'a' }, 'a'],
  ['the commit before, on the branch of the remote', { head: 'c', parent: 'b', fork: 'c' }, 'b'],
  ['the commit before, without a remote', { head: 'c', parent: 'b' }, 'b'],
])('a change is compared with %s', (_, history, commit) => {
  expect(baseCommit(gitOf(history))).toEqual({ commit });
});

test.each<readonly [string, History, string]>([
  ['no history', {}, 'no commit before this one'],
  ['a shallow clone', { head: 'c' }, 'as in a shallow clone'],
  ['no change', { head: 'c', parent: 'b', isChanged: false }, 'has not changed since b'],
])('with %s there is a reason for no comparison', (_, history, reason) => {
  const base = baseCommit(gitOf(history));
  expect(base.commit).toBeNull();
  expect(base.reason).toContain(reason);
});

test.each([
  [1.2, 0.01, true, 'needs more than 1.05'],
  [1.059, 0.01, false, 'no more than 1.05'],
  [0.9, 0.01, false, 'no more than 1.05'],
  [1.2, 0.06, false, 'Not decided'],
])('a ratio of %d with a noise of %d: worse %s', (cpuRatio, noise, isWorse, text) => {
  const found = verdict({ cpuRatio, noise }, 1.05);
  expect(found.isWorse).toBe(isWorse);
  expect(found.text).toContain(text);
});

/** So many ratios from 0.9 to 1.1, in equal distances. */
const spread = (count: number) =>
  Array.from({ length: count }, (_, at) => 0.9 + (0.2 * at) / (count - 1));

// The ends of the intervals are those of tables of the sign test: of 6 ratios the first, of 10 the second, of 20 the sixth.
test.each([
  [2, 0.1],
  [5, 0.1],
  [6, 0.1],
  [10, 0.1 - 0.2 / 9],
  [20, 0.1 - (5 * 0.2) / 19],
])('the noise of %d ratios around 1 is %d', (count, noise) => {
  expect(noiseOf(spread(count))).toBeCloseTo(noise, 10);
});

test('the noise is that of the farther end, and one disturbed round of ten does not count', () => {
  expect(noiseOf([1, 1.01, 1, 1.02, 1.03, 1, 1, 1.01, 1.04, 3])).toBeCloseTo(0.04, 10);
});
