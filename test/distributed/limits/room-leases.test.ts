/** Room for calls at once that several instances share. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockToleranceMs } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import type { LimitSlot } from '#core/model/message.ts';
import { roomLeases } from '#distributed/limits/room-leases.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';

const begin = Date.UTC(2026, 0, 1);
const callMs = 10_000;
/** See graceMs. */
const graceMs = 5_000;

/** Instances with one clock, whose writes are counted. */
function deployment(max: number, count = 1) {
  let nowMs = begin;
  let writes = 0;
  let limit = max;
  let isRepeating = false;
  const table = limitTable();
  const items = memoryItems({
    ...table,
    occupy(name, change) {
      writes += 1;
      const first = table.occupy(name, change);
      return isRepeating ? table.occupy(name, change) : first;
    },
  });
  const all = Array.from({ length: count }, (_, at) =>
    roomLeases({
      ...{ items, clock: { now: () => nowMs }, random: { next: () => at / count } },
    }),
  );
  const of = (instance: number) => {
    const own = all[instance];
    if (own === undefined) throw new Error('no such instance');
    return own;
  };
  return {
    wait(ms: number) {
      nowMs += ms;
    },
    allow(next: number) {
      limit = next;
    },
    /** The client repeats each write, whose first answer was lost. */
    repeat() {
      isRepeating = true;
    },
    writes: () => writes,
    enter: (holder: string, { instance = 0, isBehind = false, takesMs = callMs } = {}) =>
      of(instance).enter({
        ...{ name: 'pay/all##calls', max: limit, definedMax: max, holder, isBehind },
        until: nowMs + takesMs,
      }),
    leave: (room: LimitSlot | null, holder: string, instance = 0) =>
      room !== null && of(instance).leave(room, holder),
    settle: (instance = 0) => of(instance).settle(),
    extend: (room: LimitSlot | null, holder: string) =>
      room !== null && of(0).extend(room.name, holder, nowMs + callMs),
  };
}

test('as many enter as there is room for, and those that come together share a write', async () => {
  const { enter, writes } = deployment(3);
  const rooms = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => enter(holder)));
  expect(rooms.map((room) => room !== null)).toEqual([true, true, true, false]);
  expect(writes()).toBe(1);
});

test('a large limit that is lowered lets no holder in until enough have left', async () => {
  const { enter, leave, settle, allow, wait } = deployment(120);
  const held = [];
  for (let number = 0; number < 120; number += 1) {
    const room = await enter(`a${number}`);
    if (room !== null) held.push({ room, holder: `a${number}` });
  }
  expect(held.length).toBeGreaterThan(100);
  allow(30);
  wait(1_000);
  expect(await enter('late')).toBeNull();
  for (const { room, holder } of held.slice(0, 60)) leave(room, holder);
  await settle();
  wait(1_000);
  expect(await enter('later')).toBeNull();
});

test('one that leaves makes room for another by the same write', async () => {
  const { enter, leave, writes } = deployment(1);
  leave(await enter('a'), 'a');
  expect(await enter('b')).not.toBeNull();
  expect(writes()).toBe(2);
});

test('one whose write was repeated has its room, once', async () => {
  const { enter, repeat } = deployment(1, 2);
  repeat();
  expect(await enter('a')).not.toBeNull();
  expect(await enter('b', { instance: 1 })).toBeNull();
});

test('where room is scarce, who has left is written at once, so that others know', async () => {
  const { enter, leave, settle, writes, wait } = deployment(2, 2);
  const room = await enter('a');
  expect(room).not.toHaveProperty('isScarce');
  const scarce = await enter('b');
  expect(scarce).toMatchObject({ isScarce: true });
  expect(await enter('c', { instance: 1 })).toBeNull();
  leave(scarce, 'b');
  await settle();
  const before = writes();
  await settle();
  expect(writes()).toBe(before);
  wait(200);
  expect(await enter('c', { instance: 1 })).not.toBeNull();
});

test('where room is plenty, who has left is written with those that come', async () => {
  const { enter, leave, settle, writes } = deployment(30);
  for (let number = 0; number < 30; number += 1) {
    leave(await enter(`a${number}`), `a${number}`);
    await settle();
  }
  expect(writes()).toBe(30);
});

test('where room is plenty, the room of ended calls is free for other instances after a quiet time, if their complete-by is far', async () => {
  const far = { takesMs: 600_000 };
  const { enter, leave, settle, writes, wait } = deployment(10, 2);
  const entered = ['a', 'b', 'c', 'd', 'e'].map((holder) => enter(holder, far));
  for (const [at, holder] of ['a', 'b', 'c', 'd'].entries()) {
    leave((await entered[at]) ?? null, holder);
  }
  // An instance that did not see one enter does not know its complete-by.
  leave((await entered[4]) ?? null, 'e', 1);
  const settleAll = async () => {
    await settle();
    await settle(1);
    return writes();
  };
  expect(await settleAll()).toBe(1);
  wait(9_000);
  expect(await settleAll()).toBe(1);
  wait(1_000);
  expect(await settleAll()).toBe(3);
  expect(await settleAll()).toBe(3);
  wait(200);
  const others = Array.from({ length: 10 }, (_, at) => enter(`other${at}`, { instance: 1 }));
  expect(await Promise.all(others)).not.toContain(null);
});

test('where room is plenty, the end of a call costs no write of its own if its complete-by comes soon', async () => {
  const { enter, leave, settle, writes, wait } = deployment(10);
  for (let call = 0; call < 5; call += 1) {
    leave(await enter(`a${call}`, { takesMs: 30_000 }), `a${call}`);
    wait(15_000);
    await settle();
  }
  expect(writes()).toBe(5);
});

test('a holder that never leaves loses its room after its complete-by', async () => {
  const { enter, wait } = deployment(1, 2);
  await enter('a');
  wait(callMs + graceMs - 1);
  expect(await enter('b', { instance: 1 })).toBeNull();
  wait(2 + 200);
  expect(await enter('b', { instance: 1 })).not.toBeNull();
});

test('room that a wrong clock gave until far ahead is free', async () => {
  const { enter, wait } = deployment(1, 2);
  wait(86_400_000);
  await enter('a');
  wait(-86_400_000);
  expect(await enter('b', { instance: 1 })).not.toBeNull();
});

test('a call of twelve hours, the longest of any release, has its room from a release whose calls take seconds (R21)', async () => {
  const { enter, wait } = deployment(1, 2);
  expect(await enter('a', { takesMs: limits.completeWithinMaxMs })).not.toBeNull();
  wait(-clockToleranceMs);
  expect(await enter('b', { instance: 1 })).toBeNull();
  wait(limits.completeWithinMaxMs + clockToleranceMs + graceMs);
  expect(await enter('b', { instance: 1 })).toBeNull();
  wait(1 + 200);
  expect(await enter('b', { instance: 1 })).not.toBeNull();
});

test('a heartbeat moves the end of the room', async () => {
  const { enter, wait, extend } = deployment(1);
  const room = await enter('a');
  wait(callMs);
  await extend(room, 'a');
  await extend(room, 'stranger');
  wait(callMs + graceMs - 1);
  expect(await enter('b')).toBeNull();
  wait(2 + 200);
  expect(await enter('b')).not.toBeNull();
});

test('one that left after a heartbeat, of which its instance does not know, makes room', async () => {
  const { enter, wait, extend, leave } = deployment(1);
  const room = await enter('a');
  wait(1_000);
  await extend(room, 'a');
  leave(room, 'a');
  expect(await enter('b')).not.toBeNull();
});

test('one that left and comes again has room, which others do not get', async () => {
  const { enter, leave } = deployment(2);
  leave(await enter('a'), 'a');
  expect(await enter('a')).not.toBeNull();
  expect(await enter('b')).not.toBeNull();
  expect(await enter('c')).toBeNull();
});

test('while others wait, one that comes enters only where most of the room is free', async () => {
  const { enter } = deployment(4);
  expect(await enter('a', { isBehind: true })).not.toBeNull();
  await enter('b');
  expect(await enter('c', { isBehind: true })).toBeNull();
  expect(await enter('c')).not.toBeNull();
});

test('while others wait, one that comes enters where most of the room has become free since this instance read it (R24)', async () => {
  const { enter, leave, settle, wait } = deployment(4, 2);
  const holders = ['a', 'b', 'c'];
  const rooms = await Promise.all(holders.map((holder) => enter(holder)));
  expect(await enter('d', { instance: 1 })).not.toBeNull();
  for (const [at, holder] of holders.entries()) leave(rooms[at] ?? null, holder);
  await settle();
  expect(await enter('e', { instance: 1, isBehind: true })).toBeNull();
  wait(200);
  expect(await enter('f', { instance: 1, isBehind: true })).not.toBeNull();
});

test('a limit of 64 has several items, and is used whole', async () => {
  const { enter } = deployment(64);
  const rooms: (LimitSlot | null)[] = [];
  for (let number = 0; number < 70; number += 1) rooms.push(await enter(`a${number}`));
  expect(rooms.filter((room) => room !== null)).toHaveLength(64);
  expect(new Set(rooms.flatMap((room) => room?.name ?? [])).size).toBe(2);
});

test('calls that come together read each item of a large limit once', async () => {
  const { enter, writes } = deployment(400);
  const rooms = await Promise.all(Array.from({ length: 10 }, (_, at) => enter(`a${at}`)));
  expect(rooms).not.toContain(null);
  const items = 10;
  expect(writes()).toBeLessThanOrEqual(items + rooms.length);
});

test('a limit that was lowered lets no holder enter until enough have left', async () => {
  const { enter, leave, allow } = deployment(3);
  const rooms = [await enter('a'), await enter('b'), await enter('c')];
  allow(1);
  leave(rooms[0] ?? null, 'a');
  expect(await enter('d')).toBeNull();
  leave(rooms[1] ?? null, 'b');
  leave(rooms[2] ?? null, 'c');
  expect(await enter('d')).not.toBeNull();
  allow(2);
  expect(await enter('e')).not.toBeNull();
});

type Move = {
  readonly instance: number;
  readonly kind: 'enter' | 'leave' | 'die' | 'wait' | 'settle';
};

test('never more have room than the limit says, and none is lost when an instance dies', async () => {
  const moves = fc.array(
    fc.record({
      instance: fc.integer({ min: 0, max: 2 }),
      kind: fc.constantFrom<Move['kind']>('enter', 'enter', 'leave', 'die', 'wait', 'settle'),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(moves, fc.integer({ min: 1, max: 4 }), async (all, max) => {
      const { enter, leave, settle, wait } = deployment(max, 3);
      const inside: { holder: string; room: LimitSlot; until: number }[] = [];
      let [now, number] = [0, 0];
      for (const { kind, instance } of all) {
        if (kind === 'wait') {
          wait(4_000);
          now += 4_000;
        } else if (kind === 'settle') await settle(instance);
        else if (kind === 'die') inside.shift();
        else if (kind === 'leave') {
          const one = inside.shift();
          if (one !== undefined) leave(one.room, one.holder, instance);
        } else {
          number += 1;
          const room = await enter(`h${number}`, { instance });
          const lasting = inside.filter(({ until }) => until >= now);
          if (room === null) continue;
          expect(lasting.length).toBeLessThan(max);
          inside.push({ holder: `h${number}`, room, until: now + callMs });
        }
      }
      // Each of the dead had room until its complete-by and a grace at most.
      wait(callMs + graceMs + 1);
      for (let at = 0; at < max; at += 1) expect(await enter(`last${at}`)).not.toBeNull();
      expect(await enter('one more')).toBeNull();
    }),
    { numRuns: 300 },
  );
});

test('room of a call that sent heartbeats is free for others after its reply, also where another instance handled them', async () => {
  const table = limitTable();
  const make = () =>
    roomLeases({
      ...{ items: memoryItems(table), clock: { now: () => begin }, random: { next: () => 0 } },
    });
  const want = (holder: string) => ({
    ...{ name: 'pay', max: 1, definedMax: 1, holder, until: begin + callMs / 2, isBehind: false },
  });
  const [first, second, third] = [make(), make(), make()];
  for (const handles of [first, second]) {
    const room = await first.enter(want('one'));
    expect(await handles.extend('pay', 'one', begin + callMs)).toBe(true);
    if (room === null) throw new Error('no room');
    first.leave(room, 'one');
    await first.settle();
    const next = await third.enter(want('two'));
    expect(next).not.toBeNull();
    if (next !== null) third.leave(next, 'two');
    await third.settle();
  }
});

test('two releases that define another number of calls at once make no more calls together than the larger number (R21)', async () => {
  const someCalls = fc.array(
    fc.record({ release: fc.nat({ max: 1 }), calls: fc.nat({ max: 60 }), waitsMs: fc.nat(500) }),
    { maxLength: 8 },
  );
  const definedMax = fc.integer({ min: 1, max: 130 });
  await fc.assert(
    fc.asyncProperty(someCalls, definedMax, definedMax, async (all, former, next) => {
      let nowMs = begin;
      const items = memoryItems(limitTable());
      const releases = [former, next].map((max) => {
        const clock = { now: () => nowMs };
        const { enter } = roomLeases({ items, clock, random: { next: () => 0 } });
        return (holder: string) =>
          enter({
            ...{ name: 'pay', max, definedMax: max, holder, isBehind: false },
            until: nowMs + callMs,
          });
      });
      let [number, inside] = [0, 0];
      for (const { release, calls, waitsMs } of all) {
        nowMs += waitsMs;
        for (let call = 0; call < calls; call += 1) {
          number += 1;
          const room = await releases[release]?.(`h${number}`);
          if (room !== null) inside += 1;
        }
      }
      expect(inside).toBeLessThanOrEqual(Math.max(former, next));
    }),
    { numRuns: 50 },
  );
});

describe('of a limit that operators lower to 12 of 60, with two items,', () => {
  /** Two instances; of 40 calls of the first one, 30 are in the item `pay` and 10 in `pay~1`. */
  function changing() {
    const table = limitTable();
    let nowMs = begin;
    let calls = 0;
    const instance = (at: number, items = memoryItems(table)) => {
      const leases = roomLeases({ items, clock: { now: () => nowMs }, random: { next: () => at } });
      const rooms: [string, LimitSlot][] = [];
      return {
        async enter(max: number, count = 1): Promise<number> {
          let entered = 0;
          for (let call = 0; call < count; call += 1) {
            calls += 1;
            const holder = `h${calls}`;
            const room = await leases.enter({
              ...{ name: 'pay', max, definedMax: 60, holder, isBehind: false },
              until: nowMs + callMs,
            });
            if (room === null) continue;
            rooms.push([holder, room]);
            entered += 1;
          }
          return entered;
        },
        async end(name: string, count: number): Promise<void> {
          const some = rooms.filter(([, room]) => room.name === name).slice(0, count);
          for (const one of some) {
            leases.leave(one[1], one[0]);
            rooms.splice(rooms.indexOf(one), 1);
          }
          await leases.settle();
        },
      };
    };
    const wait = (ms: number) => {
      nowMs += ms;
    };
    const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
    /** Its writes are made at once, and answered later. */
    const slow = instance(0, {
      ...memoryItems(table),
      async occupy(name, change) {
        const occupied = table.occupy(name, change);
        await answers;
        return occupied;
      },
    });
    return { first: instance(0), second: instance(0.9), slow, answer, wait };
  }

  test('no call begins while one item has more holders than both may have', async () => {
    const { first, second, wait } = changing();
    expect(await first.enter(60, 40)).toBe(40);
    await first.end('pay', 25);
    for (const instance of [first, second]) {
      wait(1_000);
      expect(await instance.enter(12)).toBe(0);
    }
    await first.end('pay~1', 5);
    wait(1_000);
    // It knows who has gone, also where that is not written yet.
    expect(await first.enter(12, 3)).toBe(2);
  });

  test('an instance reads the items when it meets the number', async () => {
    const { first, second, wait } = changing();
    expect(await second.enter(60)).toBe(1);
    await second.end('pay', 1);
    expect(await first.enter(60, 40)).toBe(40);
    await first.end('pay', 25);
    wait(1_000);
    expect(await second.enter(12)).toBe(0);
  });

  test('and again when all others know it', async () => {
    const { first, second, wait } = changing();
    expect(await first.enter(12, 6)).toBe(6);
    wait(500);
    expect(await second.enter(60, 30)).toBe(30);
    await second.end('pay', 20);
    wait(1_500);
    expect(await first.enter(12)).toBe(0);
  });

  test('an instance that is reading the items when it meets the number reads them again', async () => {
    const { first, slow, answer, wait } = changing();
    const before = slow.enter(60);
    expect(await first.enter(60, 40)).toBe(40);
    await first.end('pay', 25);
    wait(1_000);
    const after = slow.enter(12);
    answer();
    await before;
    expect(await after).toBe(0);
  });
});
