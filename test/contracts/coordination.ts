/** What every coordination of Supervisors must do, written against the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Coordination } from '#ports/coordination.ts';

const now = Date.UTC(2026, 0, 1);
const leaseMs = 60_000;
const shards = 3;

/** `open` gives one that remembers nothing, each time. */
export function coordinationContract(name: string, open: () => Promise<Coordination>): void {
  describe(`the coordination contract: ${name}`, () => {
    let coordination: Coordination;
    beforeEach(async () => {
      coordination = await open();
    });

    const take = (holder: string, at = now, previousSweepAt: number | null = 7, shard = 0) =>
      coordination.take(shard, { holder, now: at, leaseMs, previousSweepAt });
    const unfinished = async () => [...(await coordination.recall(shards)).unfinished];

    test('remembers nothing at first', async () => {
      expect(await coordination.recall(shards)).toEqual({
        sweptAt: null,
        shards,
        unfinished: new Map(),
      });
    });

    test('remembers when the last sweep of all shards began', async () => {
      await coordination.remember(now, shards);
      await coordination.remember(now + 1, shards);
      expect(await coordination.recall(shards)).toMatchObject({ sweptAt: now + 1, shards });
    });

    describe('a shard', () => {
      test('is its first holder’s until the lease ends', async () => {
        expect(await take('one')).toBe(true);
        expect(await take('two')).toBe(false);
        expect(await take('two', now + leaseMs - 1)).toBe(false);
        expect(await take('two', now + leaseMs + 1)).toBe(true);
        expect(await take('one', now + leaseMs + 2)).toBe(false);
      });

      test('of fifty that take it at once is one’s', async () => {
        const taken = await Promise.all(
          Array.from({ length: 50 }, (_, at) => take(`holder-${at}`)),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
      });

      test('is free when its lease ends later than any right clock would have it end', async () => {
        const days = 3 * 24 * 3_600_000;
        await take('ahead', now + days);
        expect(await take('right', now)).toBe(true);
        expect(await take('ahead', now + days)).toBe(true);
      });

      test('is kept by a holder whose clock is a little ahead', async () => {
        await take('ahead', now + 60_000);
        expect(await take('right', now)).toBe(false);
      });

      test('can be taken again by its holder, whose answer may have been lost', async () => {
        await take('one');
        expect(await take('one', now + 1)).toBe(true);
        expect(await take('two', now + leaseMs)).toBe(false);
      });

      test.each([true, false])('given back (finished: %s) is anybody’s', async (finished) => {
        await take('one');
        await coordination.giveBack(0, 'one', finished);
        expect(await take('two')).toBe(true);
      });

      test('taken leaves the others free', async () => {
        await take('one');
        expect(await take('two', now, 7, 1)).toBe(true);
      });
    });

    describe('what is unfinished', () => {
      test.each([7, null])('has the sweep before it, at %s, from when it is taken', async (at) => {
        await take('one', now, at, 1);
        expect(await unfinished()).toEqual([[1, { previousSweepAt: at }]]);
      });

      test('is remembered after it was given back, and while others sweep', async () => {
        await take('one', now, null);
        await coordination.giveBack(0, 'one', false);
        await take('two', now, 9, 2);
        await coordination.giveBack(2, 'two', true);
        await coordination.remember(now, shards);
        expect(await unfinished()).toEqual([[0, { previousSweepAt: null }]]);
      });

      test('stays so when a holder dies, and its successor finishes it', async () => {
        await take('died');
        expect(await unfinished()).toEqual([[0, { previousSweepAt: 7 }]]);
        await take('next', now + leaseMs + 1);
        await coordination.giveBack(0, 'next', true);
        expect(await unfinished()).toEqual([]);
      });

      test('is not changed by one who is refused', async () => {
        await take('one');
        await take('two', now, null);
        expect(await unfinished()).toEqual([[0, { previousSweepAt: 7 }]]);
      });
    });

    test.each([true, false])(
      'a past holder gives nothing back (finished: %s): neither lease nor memory changes',
      async (finished) => {
        await take('slow');
        await take('next', now + leaseMs + 1, 8);
        await coordination.giveBack(0, 'slow', finished);
        expect(await unfinished()).toEqual([[0, { previousSweepAt: 8 }]]);
        expect(await take('third', now + leaseMs + 2)).toBe(false);
      },
    );

    test('who gives back twice, or what nobody took, changes nothing', async () => {
      await coordination.giveBack(0, 'nobody', false);
      expect(await unfinished()).toEqual([]);
      await take('one');
      await coordination.giveBack(0, 'one', false);
      await coordination.giveBack(0, 'one', true);
      expect(await unfinished()).toEqual([[0, { previousSweepAt: 7 }]]);
    });

    test('the shards of an earlier, larger deployment are recalled, unfinished ones too', async () => {
      await coordination.remember(now, 8);
      await take('one', now, 7, 6);
      expect(await coordination.recall(shards)).toEqual({
        sweptAt: now,
        shards: 8,
        unfinished: new Map([[6, { previousSweepAt: 7 }]]),
      });
      expect(await coordination.recall(12)).toMatchObject({ shards: 12 });
    });
  });
}
