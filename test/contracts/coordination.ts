/** The contract of Coordination, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import { clockToleranceMs } from '#core/decide/due.ts';
import { noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import type { Coordination } from '#ports/coordination.ts';

const now = Date.UTC(2026, 0, 1);
const leaseMs = 60_000;
const shards = 3;
const memory = (aliveAt: number | null): ShardMemory => ({ ...noMemory, aliveAt });
const mark = (sweptAt: number, of = shards) => ({
  sweptAt,
  nowMs: sweptAt,
  reachedAt: sweptAt - 1,
  shardCounts: [2, of],
  complete: true,
});
const rich: ShardMemory = {
  aliveAt: now - 5,
  waitingFrom: now - 7,
  gaps: [
    { from: now - 90, until: now - 80 },
    { from: now - 20, until: now - 10 },
  ],
  rampAt: now + 3,
};

/** `open` returns a new one with an empty memory. */
export function coordinationContract(name: string, open: () => Promise<Coordination>): void {
  describe(`the coordination contract: ${name}`, () => {
    let coordination: Coordination;
    beforeEach(async () => {
      coordination = await open();
    });

    const takeWith = (first: ShardMemory, holder: string, at = now, shard = 0) =>
      coordination.acquire(shard, { holder, nowMs: at, leaseMs }, first);
    const take = async (holder: string, at = now, shard = 0) =>
      (await takeWith(memory(7), holder, at, shard)) !== null;
    const unfinished = async () => [...(await coordination.recall(shards)).unfinished];

    test('remembers nothing at first', async () => {
      expect(await coordination.recall(shards)).toEqual({
        sweptAt: null,
        reachedAt: null,
        shards,
        shardCounts: [],
        unfinished: new Map(),
      });
    });

    test('remembers when the last tick began that reached every shard', async () => {
      await coordination.remember(mark(now));
      await coordination.remember(mark(now + 1));
      expect(await coordination.recall(shards)).toMatchObject({
        sweptAt: now + 1,
        reachedAt: now,
        shards,
      });
    });

    test.each([true, false])(
      'remembers a tick (complete: %s) after any other',
      async (complete) => {
        await coordination.remember({ ...mark(now), complete: !complete });
        await coordination.remember({ ...mark(now + 1), complete });
        expect(await coordination.recall(shards)).toMatchObject({
          sweptAt: now + 1,
          reachedAt: now,
          shards,
        });
      },
    );

    test.each([true, false])(
      'a slow tick (complete: %s) does not overwrite a later one',
      async (complete) => {
        await coordination.remember(mark(now));
        await coordination.remember({ ...mark(now - 1), complete });
        expect(await coordination.recall(shards)).toMatchObject({ sweptAt: now });
      },
    );

    test.each([true, false])(
      'a tick that left out a shard (complete: %s) keeps a later reachedAt of another tick',
      async (complete) => {
        await coordination.remember({ ...mark(now), reachedAt: now });
        await coordination.remember({ ...mark(now + 1), reachedAt: now - 5, complete });
        expect(await coordination.recall(shards)).toMatchObject({
          sweptAt: now + 1,
          reachedAt: now,
        });
        await coordination.remember({ ...mark(now + 2), reachedAt: null, complete });
        expect(await coordination.recall(shards)).toMatchObject({
          sweptAt: now + 2,
          reachedAt: now,
        });
      },
    );

    test.each([true, false])(
      'a slow tick (complete: %s) that reached every shard says so after a later one that did not',
      async (complete) => {
        await coordination.remember({ ...mark(now + 9), reachedAt: now - 9, complete: false });
        await coordination.remember({ ...mark(now), reachedAt: now, shardCounts: [2], complete });
        const recalled = { sweptAt: now + 9, reachedAt: now, shards };
        expect(await coordination.recall(shards)).toMatchObject(recalled);
        await coordination.remember({ ...mark(now - 1), reachedAt: now - 1, complete });
        await coordination.remember({ ...mark(now + 1), reachedAt: now - 2, complete });
        expect(await coordination.recall(shards)).toMatchObject(recalled);
      },
    );

    test.each([true, false])(
      'a tick that stood still for longer than clocks differ (complete: %s) changes nothing',
      async (complete) => {
        const later = mark(now + 2 * clockToleranceMs);
        await coordination.remember({ ...later, reachedAt: later.sweptAt });
        const slow = { ...mark(now), nowMs: later.sweptAt + 1, complete };
        await coordination.remember({ ...slow, shardCounts: [2] });
        await coordination.remember({ ...slow, reachedAt: now });
        const recalled = { sweptAt: later.sweptAt, reachedAt: later.sweptAt, shards };
        expect(await coordination.recall(shards)).toMatchObject(recalled);
      },
    );

    test('an instant that no correct clock can have written is overwritten', async () => {
      const ahead = now + 3 * 24 * 3_600_000;
      await coordination.remember({ ...mark(ahead), reachedAt: ahead });
      await coordination.remember({ ...mark(now), reachedAt: now - 1 });
      expect(await coordination.recall(shards)).toMatchObject({ reachedAt: now - 1 });
    });

    test('a tick that no correct clock can have written is overwritten', async () => {
      await coordination.remember(mark(now + 3 * 24 * 3_600_000));
      await coordination.remember(mark(now));
      expect(await coordination.recall(shards)).toMatchObject({ sweptAt: now });
    });

    describe('a shard', () => {
      test('belongs to its first holder until the lease ends', async () => {
        expect(await take('one')).toBe(true);
        expect(await take('two')).toBe(false);
        expect(await take('two', now + leaseMs - 1)).toBe(false);
        expect(await take('two', now + leaseMs + 1)).toBe(true);
        expect(await take('one', now + leaseMs + 2)).toBe(false);
      });

      test('is acquired by one of fifty concurrent holders', async () => {
        const taken = await Promise.all(
          Array.from({ length: 50 }, (_, at) => take(`holder-${at}`)),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
      });

      test('is free when its lease ends later than a correct clock can have set', async () => {
        const days = 3 * 24 * 3_600_000;
        await take('ahead', now + days);
        expect(await take('right', now)).toBe(true);
        expect(await take('ahead', now + days)).toBe(true);
      });

      test('is kept by a holder whose clock is a little ahead', async () => {
        await take('ahead', now + 60_000);
        expect(await take('right', now)).toBe(false);
      });

      test('can be acquired again by its holder, whose response may have been lost', async () => {
        await take('one');
        expect(await take('one', now + 1)).toBe(true);
        expect(await take('two', now + leaseMs)).toBe(false);
      });

      test('is free after its release', async () => {
        await take('one');
        await coordination.release(0, 'one', rich);
        expect(await take('two')).toBe(true);
      });

      test('is free once it is finished', async () => {
        await take('one');
        await coordination.finish(0, 'one', now);
        expect(await take('two')).toBe(true);
      });

      test('that is acquired leaves the others free', async () => {
        await take('one');
        expect(await take('two', now, 1)).toBe(true);
      });
    });

    describe('what is unfinished', () => {
      test.each([memory(7), memory(null), rich])(
        'is remembered from its acquisition on: %j',
        async (first) => {
          expect(await takeWith(first, 'one', now, 1)).toEqual(first);
          expect(await unfinished()).toEqual([[1, first]]);
        },
      );

      test('is remembered after a release, and during other sweeps', async () => {
        await take('one');
        await coordination.release(0, 'one', rich);
        await take('two', now, 2);
        await coordination.finish(2, 'two', now);
        await coordination.remember(mark(now));
        expect(await unfinished()).toEqual([[0, rich]]);
      });

      test('is what its holder keeps, and the next holder receives it', async () => {
        await take('one');
        await coordination.keep(0, 'one', rich);
        expect(await unfinished()).toEqual([[0, rich]]);
        expect(await takeWith(memory(1), 'two', now + leaseMs + 1)).toEqual(rich);
        expect(await unfinished()).toEqual([[0, rich]]);
      });

      test('stays so when its holder crashes, and the next one finishes it', async () => {
        await take('died');
        expect(await unfinished()).toEqual([[0, memory(7)]]);
        await take('next', now + leaseMs + 1);
        await coordination.finish(0, 'next', now);
        expect(await unfinished()).toEqual([]);
      });

      test.each([
        ['earlier', now - 9, now],
        ['later', now + 9, now + 9],
        ['never', null, now],
      ])(
        'after it was finished begins with what its next holder knows, and when it was reached (recalled: %s)',
        async (_, recalled, known) => {
          await take('one');
          await coordination.keep(0, 'one', rich);
          await coordination.finish(0, 'one', now);
          expect(await takeWith({ ...rich, aliveAt: recalled }, 'two')).toEqual({
            ...rich,
            aliveAt: known,
          });
          expect(await unfinished()).toEqual([[0, { ...rich, aliveAt: known }]]);
        },
      );

      test('after it was finished without being reached begins with what its next holder knows', async () => {
        await take('one');
        await coordination.finish(0, 'one', null);
        expect(await takeWith(rich, 'two')).toEqual(rich);
      });

      test.each([
        ['keeps', (left: ShardMemory) => coordination.keep(0, 'two', left)],
        ['leaves', (left: ShardMemory) => coordination.release(0, 'two', left)],
      ])('after it was finished is what its next holder %s', async (_, store) => {
        await take('one');
        await coordination.finish(0, 'one', now);
        await take('two');
        await store(rich);
        expect(await unfinished()).toEqual([[0, rich]]);
      });

      test('is not changed by a refused holder', async () => {
        await take('one');
        await takeWith(rich, 'two');
        expect(await unfinished()).toEqual([[0, memory(7)]]);
      });
    });

    test('keep, release and finish by a past holder change neither lease nor memory', async () => {
      await take('slow');
      await take('next', now + leaseMs + 1);
      await coordination.keep(0, 'next', rich);
      await coordination.keep(0, 'slow', memory(8));
      await coordination.release(0, 'slow', memory(9));
      await coordination.finish(0, 'slow', now + 10);
      expect(await unfinished()).toEqual([[0, rich]]);
      expect(await take('third', now + leaseMs + 2)).toBe(false);
    });

    test('a second release, or one without a lease, changes nothing', async () => {
      await coordination.release(0, 'other', rich);
      await coordination.finish(0, 'other', now);
      await coordination.keep(0, 'other', rich);
      expect(await unfinished()).toEqual([]);
      await take('one');
      await coordination.release(0, 'one', rich);
      await coordination.finish(0, 'one', now);
      expect(await unfinished()).toEqual([[0, rich]]);
    });

    test('the shards of an earlier, larger deployment are recalled, unfinished ones too', async () => {
      await coordination.remember(mark(now, 8));
      await take('one', now, 6);
      expect(await coordination.recall(shards)).toEqual({
        sweptAt: now,
        reachedAt: now - 1,
        shards: 8,
        shardCounts: [2, 8],
        unfinished: new Map([[6, memory(7)]]),
      });
      expect(await coordination.recall(12)).toMatchObject({ shards: 12, shardCounts: [2, 8] });
    });
  });
}
