/** The deadlines of the calls of one agent, which share one timer. */
import { expect, test } from 'vitest';
import { type Deadline, deadline } from '#roles/agent/deadline.ts';
import { openDeadlines } from '#roles/agent/open-deadlines.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;

function several(...seconds: readonly number[]) {
  const clock = virtualClock();
  const open = openDeadlines(clock);
  const limits = seconds.map((after) => deadline(clock, clock.now() + after * second, open));
  /** Which of them have aborted the signals of their calls. */
  const aborted = () => limits.map(({ signal }) => signal.aborted);
  return { clock, open, limits, aborted };
}

test('each deadline passes a millisecond after its own complete-by, whichever was first', async () => {
  const { clock, aborted } = several(3, 1, 2);
  await clock.advance(second);
  expect(aborted()).toEqual([false, false, false]);
  await clock.advance(1);
  expect(aborted()).toEqual([false, true, false]);
  await clock.advance(second);
  expect(aborted()).toEqual([false, true, true]);
  await clock.advance(second);
  expect(aborted()).toEqual([true, true, true]);
});

test('any number of open deadlines has one timer, and none that is open has none', () => {
  const { clock, limits } = several(3, 1, 2);
  expect(clock.pending()).toBe(1);
  const [first, ...others] = limits;
  for (const limit of others) limit.end();
  expect(clock.pending()).toBe(1);
  first?.end();
  expect(clock.pending()).toBe(0);
});

test('deadlines that passed and were not ended have no timer', async () => {
  const { clock } = several(1, 2);
  await clock.advance(3 * second);
  expect(clock.pending()).toBe(0);
});

test('a deadline that begins after the timer was set, and passes before it, is in time', async () => {
  const { clock, open } = several(10);
  const quick = deadline(clock, clock.now() + second, open);
  await clock.advance(second + 1);
  expect(quick.signal.aborted).toBe(true);
});

test('a deadline after the last one has ended has a timer again', async () => {
  const { clock, open, limits } = several(1);
  for (const limit of limits) limit.end();
  const next = deadline(clock, clock.now() + 5 * second, open);
  await clock.advance(5 * second + 1);
  expect(next.signal.aborted).toBe(true);
});

test('a deadline that was moved passes at its new instant, and those between at theirs', async () => {
  const { clock, limits, aborted } = several(1, 2);
  limits[0]?.moveTo(clock.now() + 3 * second);
  await clock.advance(2 * second + 1);
  expect(aborted()).toEqual([false, true]);
  await clock.advance(second);
  expect(aborted()).toEqual([true, true]);
});

test('a deadline that is moved after its end has no timer, as by a heartbeat of code that goes on', () => {
  const { clock, limits } = several(1);
  const [limit] = limits;
  void limit?.boundBefore(100, new Promise<never>(() => {}));
  limit?.end();
  limit?.moveTo(clock.now() + 3 * second);
  expect(clock.pending()).toBe(0);
});

test('a clock that is set back does not make open deadlines later', async () => {
  const timers = virtualClock();
  let back = 0;
  // The timers of Node do not follow the clock of the system.
  const clock = { now: () => timers.now() - back, after: timers.after };
  const open = openDeadlines(clock);
  const limits = [1, 2].map((after) => deadline(clock, clock.now() + after * second, open));
  const aborted = () => limits.map(({ signal }) => signal.aborted);
  back = 60 * second;
  await timers.advance(second + 1);
  expect(aborted()).toEqual([true, false]);
  await timers.advance(second);
  expect(aborted()).toEqual([true, true]);
});

test('all of them are stopped together', () => {
  const { clock, open, limits, aborted } = several(1, 2);
  open.stop();
  expect(aborted()).toEqual([true, true]);
  expect(limits.every((limit: Deadline) => limit.isPast())).toBe(true);
  expect(clock.pending()).toBe(0);
});
