/** How long the item of calls at once is kept, in a table that deletes each item when its time is over. */
import { expect, test } from 'vitest';
import { roomLeases } from '#distributed/limits/room-leases.ts';
import { type LimitTable, limitTable } from '#sim/ports/sim-limit-items.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';

const second = 1_000;
const hour = 3_600 * second;

/** Deletes an item at the instant until which the last write keeps it. */
function expiringTable(now: () => number): LimitTable {
  const table = limitTable();
  const kept = new Map<string, number>();
  const deletions = new Map<string, number>();
  function current(name: string): string {
    if ((kept.get(name) ?? Number.POSITIVE_INFINITY) < now()) {
      kept.delete(name);
      deletions.set(name, (deletions.get(name) ?? 0) + 1);
    }
    return `${name} after ${deletions.get(name) ?? 0} deletions`;
  }
  return {
    ...table,
    occupy(name, change) {
      const answer = table.occupy(current(name), change);
      if (answer.isDone) kept.set(name, change.keepUntil);
      return answer;
    },
    extend(name, holder, extension) {
      const isDone = table.extend(current(name), holder, extension);
      if (isDone) kept.set(name, extension.keepUntil);
      return isDone;
    },
  };
}

/** Two instances that share a limit of `max` calls at once. */
function deployment(max: number) {
  let nowMs = Date.UTC(2026, 0, 1);
  const items = memoryItems(expiringTable(() => nowMs));
  const clock = { now: () => nowMs };
  const instance = () => roomLeases({ items, clock, random: { next: () => 0 } });
  const [one, other] = [instance(), instance()];
  const want = (holder: string, callMs: number) => ({
    ...{ name: 'room', max, definedMax: max, holder, isBehind: false },
    until: nowMs + callMs,
  });
  return {
    enter: (holder: string, callMs: number) => one.enter(want(holder, callMs)),
    enterElsewhere: (holder: string, callMs: number) => other.enter(want(holder, callMs)),
    extend: (holder: string, callMs: number) => one.extend('room', holder, nowMs + callMs),
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

test('a call whose heartbeats come for days has its room all the time (R21)', async () => {
  const { enter, enterElsewhere, extend, wait } = deployment(1);
  expect(await enter('long', hour)).not.toBeNull();
  for (let hour = 1; hour <= 7 * 24; hour += 1) {
    wait(3_590 * second);
    expect(await extend('long', hour)).toBe(true);
    expect(await enterElsewhere(`other-${hour}`, 10 * second)).toBeNull();
  }
});

test('a call of twelve hours has its room after a short one beside it (R21)', async () => {
  const { enter, enterElsewhere, extend, wait } = deployment(2);
  expect(await enter('long', 12 * hour)).not.toBeNull();
  expect(await enterElsewhere('short', 10 * second)).not.toBeNull();
  wait(11 * hour);
  expect(await enterElsewhere('next', 10 * second)).not.toBeNull();
  expect(await enterElsewhere('third', 10 * second)).toBeNull();
  expect(await extend('long', 12 * hour)).toBe(true);
});
