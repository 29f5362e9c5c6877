import { expect, test } from 'vitest';
import { queueClock } from '#distributed/queue-clock.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** An instance whose clock is so far ahead of the queues, and receives messages after so long each, ms. */
function instance(aheadMs: number) {
  const clock = virtualClock();
  let setMs = 0;
  const time = queueClock({ now: clock.now, uptime: () => clock.now() - setMs });
  const truth = () => clock.now() - setMs - aheadMs;
  return {
    time,
    errorMs: () => time.now() - truth(),
    async receive(...tookMs: readonly number[]) {
      time.received(tookMs.map((ms) => truth() - ms));
      await clock.advance(1_000);
    },
    clock,
    /** Sets its clock, by so much. */
    set(ms: number) {
      clock.jump(ms);
      setMs += ms;
    },
  };
}

test('before any message its own clock counts', () => {
  const { time, clock } = instance(500);
  expect(time.now()).toBe(clock.now());
  expect(time.isKnown()).toBe(false);
});

test.each([-2_000, 0, 2_000])('a clock that is %d ms ahead is corrected', async (aheadMs) => {
  const { receive, errorMs, time } = instance(aheadMs);
  await receive(700);
  await receive(9, 30);
  await receive(40);
  expect(errorMs()).toBe(-9);
  expect(time.aheadMs()).toBe(aheadMs + 9);
});

test.each([
  { aheadMs: 0, tookMs: 9, shown: 0 },
  { aheadMs: 0, tookMs: 20_000, shown: 0 },
  { aheadMs: 2_000, tookMs: 9, shown: 2_000 },
  { aheadMs: -2_000, tookMs: 9, shown: -9 },
  { aheadMs: 400_000, tookMs: 9, shown: -9 },
])(
  'late messages make the latest time of an instant no earlier: $aheadMs ms ahead, $tookMs ms late',
  async ({ aheadMs, tookMs, shown }) => {
    const { receive, time, clock } = instance(aheadMs);
    await receive(tookMs);
    const at = clock.now() + 1_000;
    expect(time.latest(at) - (at - aheadMs)).toBe(shown);
  },
);

test('the batch for which an instance was started does not tell the time well', async () => {
  const { receive, time } = instance(0);
  await receive(700, 705);
  expect(time.isKnown()).toBe(false);
  await receive();
  expect(time.isKnown()).toBe(false);
  await receive(8);
  expect(time.isKnown()).toBe(true);
});

test('what messages said long ago is forgotten', async () => {
  const { receive, errorMs, clock } = instance(0);
  await receive(3);
  await clock.advance(120_000);
  await receive(20);
  expect(errorMs()).toBe(-3);
  await clock.advance(60_000);
  await receive(25);
  expect(errorMs()).toBe(-20);
});

test('a clock that is set back is corrected at the next message', async () => {
  const { time, clock } = instance(0);
  time.received([clock.now() - 5]);
  const before = clock.now();
  clock.jump(-10_000);
  time.received([before - 5]);
  expect(time.now()).toBe(before - 5);
});

const hourMs = 3_600_000;

test.each([-2 * hourMs, 2 * hourMs])(
  'a clock that was %d ms ahead and is set right is believed at once, and tells the time well after the second message',
  async (aheadMs) => {
    const { receive, errorMs, set, time } = instance(0);
    await receive(3);
    set(aheadMs);
    await receive(5);
    await receive(5);
    set(-aheadMs);
    expect([errorMs(), time.aheadMs(), time.isKnown()]).toEqual([0, 0, false]);
    await receive(8);
    expect([errorMs(), time.isKnown()]).toEqual([-8, false]);
    await receive(9);
    expect([errorMs(), time.isKnown()]).toEqual([-8, true]);
  },
);

test('an instance whose clock is set right before its next batch leases nothing until hours later', async () => {
  const { receive, set, time, clock } = instance(0);
  set(-2 * hourMs);
  await receive(5);
  set(2 * hourMs);
  time.received([]);
  expect(time.latest(clock.now())).toBe(clock.now());
});

test('a small step keeps what is known, as an instance that is suspended has no uptime', async () => {
  const { receive, set, time } = instance(20_000);
  await receive(5);
  await receive(5);
  set(60_000);
  expect([time.aheadMs(), time.isKnown()]).toEqual([20_005, true]);
});
