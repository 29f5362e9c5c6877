/**
 * The contract of state stores, tested through the port alone. Every store must pass it and
 * state-store-model.ts.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dueAt } from '#core/decide/due.ts';
import { type OrderId, orderId, writeId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord, ProcessState } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { alone, claimed, largeOrder, newOrder, readOrders, succeeded } from '../support/orders.ts';
import { allDue, allListed } from './pages.ts';

export interface StoreUnderTest {
  readonly store: StateStore;
  /** The same data after a crash of the process. */
  reopen(): Promise<StoreUnderTest>;
  close(): Promise<void>;
}

const now = Date.UTC(2026, 0, 1);
/** No adapter rounds due times up by more than this: the longest sweep period. */
export const roundingMaxMs = 60_000;

/** `open` returns a new empty store. */
export function stateStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the state store contract: ${name}`, () => {
    let under: StoreUnderTest;
    let store: StateStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(async () => {
      await under.close();
    });

    const create = async (id: string, at = now): Promise<ProcessRecord> => {
      const { order, record } = newOrder(id, at);
      expect(await store.create(order, record)).toBe('created');
      return record;
    };
    const commit = async (record: ProcessRecord): Promise<ProcessRecord> => {
      expect(await store.commit(record)).toBe('committed');
      return record;
    };
    const stored = async (id: OrderId) => {
      const record = (await store.records([id])).get(id);
      return record && alone(record);
    };
    const orderOf = async (id: OrderId) => (await readOrders(store, [id])).get(id);
    const due = (from: number, to: number, limit = 100) => allDue(store, { from, to, limit });
    const list = (processState: ProcessState | null, limit: number) =>
      allListed(store, { processState, limit });

    describe('create', () => {
      test('stores order and record together (R1)', async () => {
        const { order, record } = newOrder('one', now);
        expect(await store.create(order, record)).toBe('created');
        expect(await stored(record.orderId)).toEqual(record);
        expect(await orderOf(order.orderId)).toEqual(order);
      });

      test.each([
        ['a small', newOrder],
        ['a large', largeOrder],
      ])(
        'keeps %s order through every transition, of records that were read or not',
        async (_, made) => {
          const { order, record } = made('one', now);
          await store.create(order, record);
          let latest = claimed(record, now);
          await commit(latest);
          for (const step of ['east', 'west', 'roof']) {
            const read = (await store.records([order.orderId])).get(order.orderId);
            latest = succeeded(step === 'west' ? latest : (read ?? latest), step, now + 1);
            await commit(latest);
            expect(await orderOf(order.orderId)).toEqual(order);
          }
          expect(await stored(order.orderId)).toEqual(alone(latest));
        },
      );

      test.each([
        ['a small', newOrder, largeOrder],
        ['a large', largeOrder, newOrder],
      ])(
        'of %s order changes nothing when its id is in use by another one',
        async (_, made, other) => {
          const { order, record } = made('one', now);
          await store.create(order, record);
          const second = other('one', now + 5);
          const later = { ...second.record, writeId: writeId('other') };
          expect(await store.create(second.order, later)).toBe('exists');
          expect(await stored(order.orderId)).toEqual(record);
          expect(await orderOf(order.orderId)).toEqual(order);
        },
      );

      test('keeps the fields of the submission through every transition', async () => {
        const { order, record } = newOrder('one', now, 'shop', 'po-7');
        await store.create(order, record);
        expect(await stored(record.orderId)).toEqual(record);
        const next = await commit(claimed(record, now));
        expect(await stored(record.orderId)).toEqual(next);
        expect(next).toMatchObject({ replyTo: 'shop', correlationId: 'po-7' });
      });

      test('changes nothing when the order id is in use (R2)', async () => {
        const first = await create('one');
        const { order, record } = newOrder('one', now + 5);
        const other = { ...record, writeId: writeId('other') };
        expect(await store.create({ ...order, digest: 'other' }, other)).toBe('exists');
        expect(await stored(first.orderId)).toEqual(first);
        expect((await orderOf(order.orderId))?.digest).toBe('digest-one');
      });

      test('whose response was lost is recognised, and changes nothing (R12)', async () => {
        const first = await create('one');
        const { order, record } = newOrder('one', now);
        expect(await store.create(order, record)).toBe('created');
        expect(await stored(first.orderId)).toEqual(first);
        await commit(claimed(first, now));
        expect(await store.create(order, record)).toBe('exists');
      });

      test('of fifty at once with one order id, one succeeds (R2)', async () => {
        const { order, record } = newOrder('one', now);
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, at) =>
            store.create(order, { ...record, writeId: writeId(`w${at}`) }),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      });
    });

    describe('commit', () => {
      test('replaces the revision before', async () => {
        const record = await create('one');
        const next = await commit(claimed(record, now));
        expect(await stored(record.orderId)).toEqual(next);
      });

      test('is a conflict for an unknown order', async () => {
        const { record } = newOrder('unknown', now);
        expect(await store.commit(claimed(record, now))).toBe('conflict');
        expect(await stored(record.orderId)).toBeUndefined();
      });

      test('of fifty at once on one revision, one succeeds (R3)', async () => {
        const record = await create('one');
        const claims = Array.from({ length: 50 }, (_, at) =>
          claimed(record, now, `scheduler-${at}`, `claim-${at}`),
        );
        const outcomes = await Promise.all(claims.map((claim) => store.commit(claim)));
        const won = claims.filter((_, at) => outcomes[at] === 'committed');
        expect(won).toHaveLength(1);
        expect(await stored(record.orderId)).toEqual(won[0]);
      });

      test('of an older or a skipped revision is a conflict', async () => {
        const record = await create('one');
        const first = await commit(claimed(record, now));
        expect(await store.commit(claimed(record, now, 'late', 'late'))).toBe('conflict');
        const third = succeeded(first, 'east', now + 1);
        expect(await store.commit(succeeded(third, 'west', now + 2))).toBe('conflict');
        expect(await stored(record.orderId)).toEqual(first);
      });

      test('of several decisions replaces the revision before the first of them', async () => {
        const record = await create('one');
        const first = await commit(claimed(record, now));
        const third = succeeded(succeeded(first, 'east', now + 1), 'west', now + 2);
        expect(await store.commit(third, record.revision)).toBe('conflict');
        expect(await store.commit(third, first.revision)).toBe('committed');
        expect(await store.commit(third, first.revision)).toBe('committed');
        expect(await stored(record.orderId)).toEqual(third);
      });

      test('of a write whose response was lost is recognised, and changes nothing (R12)', async () => {
        const record = await create('one');
        const first = await commit(claimed(record, now));
        expect(await store.commit(first)).toBe('committed');
        expect(await stored(record.orderId)).toEqual(first);
      });

      test('of a lost write after another one won is a conflict (R12)', async () => {
        const record = await create('one');
        const first = await commit(claimed(record, now));
        const second = await commit(succeeded(first, 'east', now + 1));
        expect(await store.commit(first)).toBe('conflict');
        expect(await stored(record.orderId)).toEqual(second);
      });
    });

    test('reads many orders at once, without unknown ones', async () => {
      const one = await create('one');
      const two = await create('two');
      const ids = [one.orderId, orderId('unknown'), two.orderId];
      expect([...(await store.records(ids)).keys()].toSorted()).toEqual(['one', 'two']);
      expect([...(await readOrders(store, ids)).keys()].toSorted()).toEqual(['one', 'two']);
      expect((await store.records([])).size).toBe(0);
    });

    describe('the due index', () => {
      const dueOf = (record: ProcessRecord) => dueAt(record) ?? Number.NaN;

      test('has a live order from its due time on, and not before (R16)', async () => {
        const record = await create('one');
        expect(await due(0, dueOf(record) - 1)).toEqual([]);
        expect(await due(0, dueOf(record) + roundingMaxMs)).toEqual([record.orderId]);
      });

      test('follows the order through its states, and loses it at its end (R16)', async () => {
        let record = await create('one');
        const far = now + 365 * 24 * 3_600_000;
        const steps = ['east', 'west', 'roof'];
        record = await commit(claimed(record, now));
        for (const step of steps) {
          expect(await due(0, dueOf(record) + roundingMaxMs)).toEqual([record.orderId]);
          expect(await due(0, dueOf(record) - 1)).toEqual([]);
          record = await commit(succeeded(record, step, now + 1));
        }
        expect(record.processState).toBe('Processed');
        expect(await due(0, far)).toEqual([]);
      });

      test('finds an order that is due later than a message can be delayed among the far ones', async () => {
        const record = await create('far');
        const notBefore = now + limits.messageDelayMaxMs + 1;
        const waiting = { ...record, notBefore, revision: 2, writeId: writeId('far-2') };
        await commit(waiting);
        const to = notBefore + roundingMaxMs;
        const range = { shard: 0, from: 0, to, limit: 100, cursor: null, far: true };
        const shards = Array.from({ length: store.dueShards }, (_, shard) => shard);
        const pages = await Promise.all(shards.map((shard) => store.due({ ...range, shard })));
        expect(pages.flatMap(({ items }) => items)).toContain(waiting.orderId);
      });

      test('returns each order once, page by page, when many are due at once', async () => {
        const ids = Array.from({ length: 25 }, (_, at) => `order-${at}`);
        await Promise.all(ids.map((id) => create(id)));
        const found = await due(0, now + 365 * 24 * 3_600_000, 4);
        expect(found.toSorted()).toEqual(ids.toSorted());
      });

      test('keeps to its range', async () => {
        const early = await create('early', now);
        const late = await create('late', now + 3_600_000);
        const between = dueOf(early) + roundingMaxMs;
        expect(await due(0, between)).toEqual([early.orderId]);
        expect(await due(between, dueOf(late) + roundingMaxMs)).toEqual([late.orderId]);
        expect(await due(dueOf(late) + roundingMaxMs + 1, Number.MAX_SAFE_INTEGER)).toEqual([]);
      });
    });

    describe('the listing', () => {
      test('is newest first, page by page, and by state', async () => {
        const ids = Array.from({ length: 9 }, (_, at) => `order-${at}`);
        for (const [at, id] of ids.entries()) await create(id, now + at);
        const claimedOnes = ids.slice(0, 3);
        for (const id of claimedOnes) {
          const record = await stored(orderId(id));
          if (record !== undefined) await commit(claimed(record, now + 20));
        }
        expect(await list(null, 2)).toEqual(ids.toReversed());
        expect(await list('Processing', 2)).toEqual(claimedOnes.toReversed());
        expect(await list('Pending', 100)).toEqual(ids.slice(3).toReversed());
        expect(await list('Error', 5)).toEqual([]);
      });

      test.each([1, 2, 100])(
        'has the orders of one correlation id in all states, by pages of %i',
        async (limit) => {
          const own = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
          for (const [at, id] of [...own, 'other', 'none'].entries()) {
            const name = id === 'none' ? null : id === 'other' ? 'po-70' : 'po-7';
            const { order, record } = newOrder(id, now + at, null, name);
            await store.create(order, record);
            if (id === 'b') await commit(claimed(record, now + 20));
          }
          const found = (correlationId: string, processState: ProcessState | null = null) =>
            allListed(store, { processState, correlationId, limit });
          expect((await found('po-7')).toSorted()).toEqual(own);
          if (limit === 100) expect(await found('po-7')).toEqual(own.toReversed());
          expect(await found('po-7', 'Processing')).toEqual(['b']);
          expect(await found('po-7', 'Error')).toEqual([]);
          expect(await found('po-70')).toEqual(['other']);
          expect(await found('po')).toEqual([]);
        },
      );

      test.each(['nonsense', '', '1.2', '{}'])('refuses the cursor %j', async (cursor) => {
        await expect(store.list({ processState: null, limit: 5, cursor })).rejects.toMatchObject({
          code: 'cursor-invalid',
        });
      });
    });

    test('committed writes survive a crash', async () => {
      const record = await commit(claimed(await create('one'), now));
      const other = await create('two');
      under = await under.reopen();
      store = under.store;
      expect(await stored(record.orderId)).toEqual(record);
      expect(await stored(other.orderId)).toEqual(other);
      expect(await due(0, now + 3_600_000)).toHaveLength(2);
      expect(await store.commit(record)).toBe('committed');
    });
  });
}
