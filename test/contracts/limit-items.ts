/** The contract of LimitItems, tested through the port alone. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Advance, Advanced, LimitItems, Occupation } from '#ports/limit-items.ts';
import { holdersNamedMax, reserveAheadMs, reservedForMs } from '#ports/limit-items.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';

const now = Date.UTC(2026, 0, 1);
const keepUntil = now + 60_000;
const move = (byMs: number, from: number, before: number): Advance => ({
  ...{ kind: 'move', byMs, from, before, keepUntil },
});
const restart = (to: number, from: number, after: number): Advance => ({
  ...{ kind: 'restart', to, from, after, keepUntil },
});
const reserve = (reserved: number, nowMs = now, after = now + 60_000): Advance => ({
  ...{ kind: 'reserve', reserved, nowMs, after, keepUntil },
});
const none = new Map<string, number>();
const holding = (...names: string[]) => new Map(names.map((name) => [name, now + name.length]));
const stays = (at: number | null, ...reserved: readonly number[]): Advanced => ({
  ...{ isMoved: false, at, reserved },
});
const change = (of: Partial<Occupation>): Occupation => ({
  ...{ come: none, gone: none, left: [], max: 2, keepUntil },
  ...of,
});

/** `openEmpty` returns new ones without an item. */
export function limitItemsContract(name: string, openEmpty: () => Promise<LimitItems>): void {
  describe(`the contract of limit items: ${name}`, () => {
    let items: LimitItems;
    beforeEach(async () => {
      items = await openEmpty();
    });

    test('an instant that is not stored does not move, and begins', async () => {
      expect(await items.advance('a', move(1, 0, now))).toEqual(stays(null));
      expect(await items.advance('a', restart(now, 0, now))).toMatchObject({ isMoved: true });
      expect(await items.advance('a', move(1, 0, now))).toEqual(stays(now));
      expect(await items.advance('b', move(1, 0, now + 1))).toEqual(stays(null));
    });

    test('an instant moves by parts of a millisecond, and gives where it was', async () => {
      await items.advance('a', restart(now, 0, now));
      expect(await items.advance('a', move(0.3, now, now + 1))).toEqual({
        ...stays(now),
        isMoved: true,
      });
      const second = await items.advance('a', move(0.3, now, now + 1));
      expect(second.isMoved).toBe(true);
      expect(second.at).toBeCloseTo(now + 0.3, 2);
    });

    test('an instant that was too late or too early begins anew', async () => {
      await items.advance('a', restart(now, 0, now));
      expect(await items.advance('a', restart(1, now, now))).toEqual(stays(now));
      expect(await items.advance('a', restart(now + 5, now + 1, now + 9))).toMatchObject({
        isMoved: true,
      });
      expect(await items.advance('a', restart(now + 2, 0, now + 4))).toMatchObject({
        isMoved: true,
      });
      expect(await items.advance('a', move(1, 0, 0))).toEqual(stays(now + 2));
    });

    test('an instant is reserved once, where no other is or the next one is not after it', async () => {
      const isReserved = (...before: readonly number[]) => ({
        ...stays(null, ...before),
        isMoved: true,
      });
      expect(await items.advance('a', reserve(now + 5))).toEqual(isReserved());
      expect(await items.advance('a', reserve(now + 5))).toEqual(stays(null, now + 5));
      expect(await items.advance('a', reserve(now + 9))).toEqual(isReserved(now + 5));
      expect(await items.advance('b', reserve(now + 9))).toEqual(isReserved());
      await items.advance('a', restart(now + 20, 0, now));
      const both = [now + 5, now + 9];
      expect(sorted(await items.advance('a', reserve(now + 19)))).toEqual(stays(now + 20, ...both));
      const last = { ...stays(now + 20, ...both), isMoved: true };
      expect(sorted(await items.advance('a', reserve(now + 20)))).toEqual(last);
      expect(sorted(await items.advance('a', move(3, now, now + 60)))).toEqual({
        ...stays(now + 20, ...both, now + 20),
        isMoved: true,
      });
      expect(await items.advance('a', reserve(now + 11, now, now + 22))).toMatchObject({
        isMoved: true,
      });
    });

    test('instants are reserved as far ahead as allowed, are known for a while, and are forgotten then', async () => {
      const later = Array.from({ length: 40 }, (_, at) => now + at * 100);
      for (const at of [...later, now + reserveAheadMs]) await items.advance('a', reserve(at));
      const known = async (nowMs: number) => {
        const { reserved } = await items.advance('a', reserve(nowMs + reserveAheadMs, nowMs));
        return reserved.filter((one) => one <= now + reserveAheadMs);
      };
      expect(await known(now + reservedForMs)).toHaveLength(41);
      const half = now + 2_000;
      expect(await known(half)).toEqual(
        expect.arrayContaining(later.filter((at) => at >= half - reservedForMs)),
      );
      for (let at = 0; at < 12_000; at += 500) await known(now + at);
      expect(await known(now + 12_000)).toEqual([]);
    });

    test('holders come while there is room', async () => {
      const both = { isDone: true, holders: holding('one', 'three') };
      expect(await items.occupy('a', change({ come: holding('one', 'three') }))).toEqual(both);
      const refused = { ...both, isDone: false };
      expect(await items.occupy('a', change({ come: holding('five') }))).toEqual(refused);
      expect(await items.occupy('b', change({ come: holding('five') }))).toMatchObject({
        isDone: true,
      });
    });

    test('the first holders do not come where there is no room for all of them', async () => {
      const refused = { isDone: false, holders: none };
      const three = holding('one', 'three', 'four');
      expect(await items.occupy('a', change({ come: three }))).toEqual(refused);
      expect(await items.occupy('a', change({ come: three, max: 3 }))).toEqual({
        isDone: true,
        holders: three,
      });
    });

    test('one goes, and another comes by the same write', async () => {
      await items.occupy('a', change({ come: holding('one', 'three') }));
      const gone = holding('one');
      expect(await items.occupy('a', change({ gone, come: holding('seven') }))).toEqual({
        isDone: true,
        holders: holding('three', 'seven'),
      });
      expect(await items.occupy('a', change({ gone, come: holding('nine') }))).toEqual({
        isDone: false,
        holders: holding('three', 'seven'),
      });
    });

    test('one that goes and comes again by one write has room, which it had already', async () => {
      await items.occupy('a', change({ come: holding('one', 'three') }));
      const come = new Map([['one', now + 50]]);
      const holders = new Map([...holding('three'), ...come]);
      const again = await items.occupy('a', change({ come, gone: holding('one') }));
      expect(again).toEqual({ isDone: true, holders });
      expect(await items.occupy('a', change({ come, gone: holding('one') }))).toEqual({
        isDone: false,
        holders,
      });
    });

    test('holders that may have gone leave', async () => {
      await items.occupy('a', change({ come: holding('one', 'three') }));
      const left = ['one', 'stranger'];
      expect(await items.occupy('a', change({ left }))).toEqual({
        isDone: true,
        holders: holding('three'),
      });
    });

    test('a write names as many holders as it may, those that come and those that go together, and not many more', async () => {
      const all = Array.from({ length: 4 * holdersNamedMax }, (_, at) =>
        `${at}`.padStart(limits.holderNameLengthMax, 'h'),
      );
      const of = (from: number, to: number) => holding(...all.slice(from, to));
      const max = all.length;
      for (let from = 0; from < max; from += holdersNamedMax) {
        const come = of(from, from + holdersNamedMax);
        expect(await items.occupy('a', change({ come, max }))).toMatchObject({ isDone: true });
      }
      await expect(items.occupy('a', change({ gone: of(0, max) }))).rejects.toThrow(
        UnavailableError,
      );
      const left = all.slice(0, holdersNamedMax);
      expect(await items.occupy('a', change({ left }))).toEqual({
        isDone: true,
        holders: of(holdersNamedMax, max),
      });
      const gone = of(holdersNamedMax, 2 * holdersNamedMax);
      expect(await items.occupy('a', change({ gone }))).toEqual({
        isDone: true,
        holders: of(2 * holdersNamedMax, max),
      });
    });

    test('a holder has room for longer, and no other gets room by that', async () => {
      await items.occupy('a', change({ come: holding('one') }));
      const longer = { until: now + 99, keepUntil };
      expect(await items.extend('a', 'one', longer)).toBe(true);
      expect(await items.extend('a', 'stranger', longer)).toBe(false);
      expect(await items.extend('b', 'one', longer)).toBe(false);
      const holders = new Map([['one', now + 99]]);
      expect(await items.occupy('a', change({}))).toEqual({ isDone: true, holders });
      expect(await items.occupy('b', change({}))).toEqual({ isDone: true, holders: none });
    });

    test('any sequence of writes has the same results as in memory', async () => {
      let sequences = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anyWrite, { maxLength: 12 }), async (writes) => {
          sequences += 1;
          const memory = limitTable();
          for (const [kind, item, write] of writes) {
            const of = `${item}${sequences}`;
            if (kind === 'advance') {
              const answer = await items.advance(of, write);
              expect(sorted(answer)).toEqual(sorted(memory.advance(of, write)));
            } else {
              expect(await items.occupy(of, write)).toEqual(memory.occupy(of, write));
            }
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

const near = fc.integer({ min: now, max: now + 6 });
const item = fc.constantFrom('a', 'b');
const names = ['one', 'three', 'seven', 'nine'] as const;
const advances = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), near, near)
    .map(([by, from, before]) => move(by, from, before)),
  fc.tuple(near, near, near).map(([to, from, after]) => restart(to, from, after)),
  fc.tuple(near, near).map(([at, after]) => reserve(at, now, after)),
);
const sorted = ({ reserved, ...rest }: Advanced): Advanced => ({
  ...rest,
  reserved: reserved.toSorted((a, b) => a - b),
});
const some = fc.subarray([...names]);
const occupations = fc.tuple(some, some, some).map(([come, gone, left]) =>
  change({
    come: holding(...come),
    gone: holding(...gone),
    left: without(left, come, gone),
    max: 3,
  }),
);
const without = (left: readonly string[], ...others: readonly (readonly string[])[]) =>
  left.filter((name) => !others.flat().includes(name));
const anyWrite = fc.oneof(
  fc.tuple(fc.constant('advance' as const), item, advances),
  fc.tuple(fc.constant('occupy' as const), item, occupations),
);
