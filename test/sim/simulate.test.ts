import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { simulate } from '#sim/world/simulate.ts';
import { settle } from '#testing/prove/settle.ts';

const run = promisify(execFile);

const simulation = (seed: number, keepStory = false) =>
  simulate({ seed, settle, crashPoints: crashPoints(), keepStory });

async function hashes(threads: number): Promise<string[]> {
  const options = ['--seeds', '100', '--hashes', '--threads', String(threads)];
  const { stdout } = await run('node', ['bin/sim.ts', ...options]);
  return stdout.trim().split('\n');
}

test('the same seed gives the same trace: 100 of 100, in two processes', async () => {
  const [one, other] = [await hashes(1), await hashes(2)];
  expect(one).toHaveLength(100);
  expect(other).toEqual(one);
  expect(new Set(one.map((line) => line.split(' ')[1])).size).toBe(100);
}, 300_000);

test.each([1, 7, 42, 276, 1_999])(
  'seed %i gives the same log twice, byte for byte',
  async (seed) => {
    const [one, other] = [await simulation(seed, true), await simulation(seed, true)];
    expect(one.story.length).toBeGreaterThan(30);
    expect(other.story.join('\n')).toBe(one.story.join('\n'));
  },
);

test('keeping the trace does not change it', async () => {
  const [read, lived] = [await simulation(7, true), await simulation(7)];
  expect(read.hash).toBe(lived.hash);
  expect(read.story.length).toBeGreaterThan(30);
  expect(lived.story).toEqual([]);
});

test('a world has at least three orders, and all of them end', async () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const { violations, orders } = await simulation(seed);
    expect(violations).toEqual([]);
    expect(orders).toBeGreaterThanOrEqual(3);
  }
});
