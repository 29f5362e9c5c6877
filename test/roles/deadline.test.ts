import { expect, test } from 'vitest';
import { TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import { deadline } from '#roles/deadline.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;

/** A deadline in ten seconds, on a clock that knows how many of its appointments are open. */
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
  return { clock, open, limit: deadline(counting, clock.now() + 10 * second) };
}

test('complete-by itself is in time; a millisecond later is late, for all who wait', async () => {
  const { clock, limit } = tenSeconds();
  const { signal } = limit;
  await clock.advance(10 * second);
  expect([limit.isPast(), signal.aborted]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.isPast(), signal.aborted]).toEqual([true, true]);
  await expect(limit.late).rejects.toThrow(TransientFault);
  await expect(limit.late).rejects.toMatchObject({
    code: 'complete-by-passed',
    message: expect.stringContaining('complete-by'),
  });
});

test('a signal that is asked for after complete-by has fired; there is but one', async () => {
  const { clock, limit } = tenSeconds();
  await clock.advance(11 * second);
  expect(limit.signal.aborted).toBe(true);
  expect(limit.signal).toBe(limit.signal);
});

test('what is past stays past, though the clock is set back', async () => {
  const { clock, limit } = tenSeconds();
  await clock.advance(11 * second);
  clock.jump(-5 * second);
  expect(limit.isPast()).toBe(true);
});

test('a clock that was set past complete-by makes it past before anything has fired', () => {
  const { clock, limit } = tenSeconds();
  clock.jump(10 * second + 1);
  expect(limit.isPast()).toBe(true);
});

test('a deadline that is moved fires at its new instant alone', async () => {
  const { clock, limit } = tenSeconds();
  limit.moveTo(clock.now() + 15 * second);
  expect(limit.completeBy).toBe(clock.now() + 15 * second);
  await clock.advance(15 * second);
  expect([limit.isPast(), limit.signal.aborted]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.isPast(), limit.signal.aborted]).toEqual([true, true]);
});

test('a pause lasts as long as is asked, but not past complete-by', async () => {
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

test('nothing is left behind: no timer of a pause, nor of a deadline whose work is over', async () => {
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

test('a deadline that passes while nobody waits for it troubles nobody', async () => {
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
