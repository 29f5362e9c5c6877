import { expect, test } from 'vitest';
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import { deadline } from '#roles/agent/deadline.ts';
import { openDeadlines } from '#roles/agent/open-deadlines.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;

/** A deadline in ten seconds, on a clock that counts its open timers. */
function tenSeconds() {
  const clock = virtualClock();
  const open = new Set<object>();
  const counting: Clock = {
    now: clock.now,
    after(ms, work) {
      const appointment = {};
      open.add(appointment);
      const cancel = clock.after(ms, () => {
        open.delete(appointment);
        work();
      });
      return () => {
        open.delete(appointment);
        cancel();
      };
    },
  };
  return {
    clock,
    open,
    limit: deadline(counting, clock.now() + 10 * second, openDeadlines(counting)),
  };
}

test('complete-by itself is in time; a millisecond later every wait ends as late', async () => {
  const { clock, limit } = tenSeconds();
  const { signal } = limit;
  await clock.advance(10 * second);
  expect([limit.isPast(), signal.aborted]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.isPast(), signal.aborted]).toEqual([true, true]);
  const late = limit.bound(new Promise(() => {}));
  await expect(late).rejects.toThrow(TransientFault);
  await expect(late).rejects.toMatchObject({
    code: 'complete-by-passed',
    message: expect.stringContaining('complete-by'),
  });
});

test('a signal that is first read after complete-by has fired; every read returns the same one', async () => {
  const { clock, limit } = tenSeconds();
  await clock.advance(11 * second);
  expect(limit.signal.aborted).toBe(true);
  expect(limit.signal).toBe(limit.signal);
});

test('a passed deadline stays past when the clock is set back', async () => {
  const { clock, limit } = tenSeconds();
  await clock.advance(11 * second);
  clock.jump(-5 * second);
  expect(limit.isPast()).toBe(true);
});

test('a clock set past complete-by makes the deadline past before its timer fires', () => {
  const { clock, limit } = tenSeconds();
  clock.jump(10 * second + 1);
  expect(limit.isPast()).toBe(true);
});

test('a moved deadline fires only at its new instant', async () => {
  const { clock, limit } = tenSeconds();
  limit.moveTo(clock.now() + 15 * second);
  expect(limit.completeBy).toBe(clock.now() + 15 * second);
  await clock.advance(15 * second);
  expect([limit.isPast(), limit.signal.aborted]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.isPast(), limit.signal.aborted]).toEqual([true, true]);
});

test('a pause lasts as long as requested, but ends at complete-by', async () => {
  const { clock, limit } = tenSeconds();
  const start = clock.now();
  const ended: number[] = [];
  const pause = async (ms: number) => {
    await limit.pause(ms);
    ended.push(clock.now() - start);
  };
  const pauses = [pause(2 * second), pause(60 * second)];
  await clock.advance(20 * second);
  await Promise.all(pauses);
  expect(ended).toEqual([2 * second, 10 * second + 1]);
});

test('no timer is left of an ended pause or an ended deadline', async () => {
  const { clock, open, limit } = tenSeconds();
  const pause = limit.pause(60 * second);
  await clock.advance(11 * second);
  await pause;
  expect(open.size).toBe(0);
  const other = tenSeconds();
  const { signal } = other.limit;
  other.limit.end();
  expect(other.open.size).toBe(0);
  await other.clock.advance(11 * second);
  expect(signal.aborted).toBe(false);
});

test('a deadline that passes without a waiter causes no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const { clock } = tenSeconds();
    await clock.advance(11 * second);
    await settled();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test('a deadline that is stopped passes at once, its probe too, and leaves no timer', async () => {
  const { open, limit } = tenSeconds();
  const { signal } = limit;
  const early = limit.boundBefore(second, new Promise(() => {}));
  limit.stop();
  expect([limit.isPast(), signal.aborted, open.size]).toEqual([true, true, 0]);
  await expect(limit.bound(new Promise(() => {}))).rejects.toMatchObject({ code: 'process-ended' });
  await expect(early).rejects.toMatchObject({ code: 'process-ended' });
});
