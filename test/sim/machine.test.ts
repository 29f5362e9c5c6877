import { expect, test } from 'vitest';
import { machine } from '#sim/world/machine.ts';
import { surroundings } from './support.ts';

const frozenMs = 1_000;

/** What a machine does that is frozen while two timers are due, the second of which is cancelled. */
async function thawed(cancelAtMs: number): Promise<readonly string[]> {
  const around = surroundings();
  const { timeline } = around;
  const ran: string[] = [];
  const frozen = machine('m', around, () => {});
  frozen.freeze(frozenMs);
  frozen.clock.after(10, () => ran.push('left'));
  const cancel = frozen.clock.after(20, () => ran.push('cancelled'));
  timeline.at(timeline.now() + cancelAtMs, cancel);
  await timeline.runUntil(timeline.now() + frozenMs - 1);
  expect(ran).toEqual([]);
  await timeline.runUntil(timeline.now() + 1);
  return ran;
}

test('a timer that is due while a machine is frozen comes when it thaws', async () => {
  expect(await thawed(2 * frozenMs)).toEqual(['left', 'cancelled']);
});

test.each([
  ['before it is due', 5],
  ['while the machine is frozen', 30],
])('one that is cancelled %s never comes, as in a process', async (_, atMs) => {
  expect(await thawed(atMs)).toEqual(['left']);
});
