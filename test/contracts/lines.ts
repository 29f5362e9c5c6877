/** The lines of orders with a singleton key: the part of the contract of state stores that keeps one order at work (R29). */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Line, without } from '#core/flow/line.ts';
import { lineName, type OrderId, orderId, schedulerId, writeId } from '#core/model/ids.ts';
import type { OrderTurn } from '#core/model/record.ts';
import type { LineJoin, StateStore } from '#ports/state-store.ts';
import { claimed, newOrder, next } from '../support/orders.ts';
import type { StoreUnderTest } from './state-store.ts';

const now = Date.UTC(2026, 0, 1);
const name = lineName('a'.repeat(40));
const otherName = lineName('b'.repeat(40));
const one = orderId('one');
const two = orderId('two');
const three = orderId('three');

const claim = { type: 'claim', by: schedulerId('s') } as const;

const keyed = (id: string, turn: OrderTurn = { line: name }) => {
  const { order, record } = newOrder(id, now);
  return { order, record: { ...record, turn } };
};

const joining = (before: Line, id: OrderId): LineJoin => ({
  name,
  before,
  after: [...before, id],
});

/** `open` returns a new empty store. `runs`: more for fast stores. */
export function linesContract(
  storeName: string,
  open: () => Promise<StoreUnderTest>,
  runs: number,
): void {
  describe(`the lines of the state store: ${storeName}`, () => {
    let under: StoreUnderTest;
    let store: StateStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(async () => {
      await under.close();
    });

    const create = (id: string, line: LineJoin, turn?: OrderTurn) => {
      const { order, record } = keyed(id, turn);
      return store.create(order, record, line);
    };

    test('an order is stored with its line and its place in it', async () => {
      expect(await store.line(name)).toEqual([]);
      expect(await create('one', joining([], one))).toBe('created');
      const turn = { line: name, behind: one, replaces: true } as const;
      expect(await create('two', joining([one], two), turn)).toBe('created');
      expect(await store.line(name)).toEqual([one, two]);
      expect(await store.line(otherName)).toEqual([]);
      expect((await store.records([two])).get(two)?.turn).toEqual(turn);
    });

    test('the place of an order is kept through every transition, and by a restart', async () => {
      const { order, record } = keyed('two', { line: name, behind: one });
      await store.create(order, record, joining([], two));
      const next = claimed(record, now);
      expect(await store.commit(next)).toBe('committed');
      under = await under.reopen();
      expect((await under.store.records([two])).get(two)).toEqual(next);
      expect(await under.store.line(name)).toEqual([two]);
    });

    test('an order is not stored where another one came first', async () => {
      await create('one', joining([], one));
      expect(await create('two', joining([], two))).toBe('overtaken');
      expect(await store.records([two])).toEqual(new Map());
      expect(await store.orders([two])).toEqual(new Map());
      expect(await store.line(name)).toEqual([one]);
    });

    test('nor where the line is gone', async () => {
      expect(await create('two', joining([one], two))).toBe('overtaken');
      expect(await store.line(name)).toEqual([]);
    });

    test('an order that is stored exists also when its line has changed since (R2)', async () => {
      await create('one', joining([], one));
      const { order, record } = keyed('one');
      const again = { ...record, writeId: writeId('again') };
      expect(await store.create(order, again, joining([], one))).toBe('exists');
      expect(await store.create(order, again, joining([one], one))).toBe('exists');
      expect(await store.line(name)).toEqual([one]);
    });

    test('a create whose answer was lost is recognised, and changes nothing (R12)', async () => {
      await create('one', joining([], one));
      expect(await create('one', joining([], one))).toBe('created');
      await create('two', joining([one], two));
      expect(await create('one', joining([], one))).toBe('created');
      expect(await store.line(name)).toEqual([one, two]);
    });

    test('a create that is refused because the id is in use leaves the line as it is', async () => {
      const { order, record } = newOrder('one', now);
      await store.create(order, { ...record, writeId: writeId('other') });
      expect(await create('one', joining([], one))).toBe('exists');
      expect(await store.line(name)).toEqual([]);
    });

    /** The first order is stored, and this is the write of a second one that replaces it. */
    const replacing = async () => {
      await create('one', joining([], one), { line: name, since: now });
      const first = (await store.records([one])).get(one);
      if (first === undefined) throw new Error('it is not stored');
      const cancel = { type: 'cancel', by: 'order two' } as const;
      const replaced = { ...next(first, cancel, now + 1), writeId: writeId('replacing') };
      return { first, replaced, line: { ...joining([one], two), after: [two], replaced } };
    };

    test('an order is replaced with the write that stores the next one', async () => {
      const { replaced, line } = await replacing();
      expect(await create('two', line, { line: name, since: now })).toBe('created');
      expect(await store.line(name)).toEqual([two]);
      const records = await store.records([one, two]);
      expect(records.get(one)).toEqual(replaced);
      expect(records.get(two)?.turn).toEqual({ line: name, since: now });
      const { items } = await store.due({
        ...{ shard: 0, from: 0, to: now + 3_600_000, limit: 10, cursor: null },
      });
      if (store.dueShards === 1) expect(items).toContain(one);
      expect(await store.commit(next(replaced, claim, now + 2))).toBe('committed');
    });

    test('an order that has begun is not replaced, and the next one is not stored', async () => {
      const { first, line } = await replacing();
      const begun = claimed(first, now + 1);
      await store.commit(begun);
      expect(await create('two', line)).toBe('overtaken');
      expect(await store.line(name)).toEqual([one]);
      expect(await store.records([one, two])).toEqual(new Map([[one, begun]]));
      expect(await store.orders([two])).toEqual(new Map());
    });

    test('an order whose line is another one is not replaced, and neither is one that is not stored', async () => {
      const { first, replaced, line } = await replacing();
      expect(await create('two', { ...line, before: [] })).toBe('overtaken');
      const gone = { ...replaced, orderId: orderId('gone') };
      expect(await create('two', { ...line, replaced: gone })).toBe('overtaken');
      expect(await store.records([one, two])).toEqual(new Map([[one, first]]));
      expect(await store.line(name)).toEqual([one]);
    });

    test('an order that exists replaces nothing (R2)', async () => {
      const { first, line } = await replacing();
      const { order, record } = newOrder('two', now);
      await store.create(order, { ...record, writeId: writeId('other') });
      expect(await create('two', line)).toBe('exists');
      expect((await store.records([one])).get(one)).toEqual(first);
      expect(await store.line(name)).toEqual([one]);
    });

    test('a create that replaced an order is recognised, and replaces it once (R12)', async () => {
      const { replaced, line } = await replacing();
      await create('two', line);
      expect(await create('two', line)).toBe('created');
      expect((await store.records([one])).get(one)).toEqual(replaced);
    });

    test('of a begin and a replacement at the same time, one happens', async () => {
      const { first, replaced, line } = await replacing();
      const begun = { ...claimed(first, now + 1), writeId: writeId('begun') };
      const [created, committed] = await Promise.all([create('two', line), store.commit(begun)]);
      const stored = (await store.records([one])).get(one);
      expect([created, committed]).toEqual(
        stored?.writeId === begun.writeId ? ['overtaken', 'committed'] : ['created', 'conflict'],
      );
      expect(stored).toEqual(created === 'created' ? replaced : begun);
    });

    test('of fifty that join an empty line at once, one does', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, at) => create(`o-${at}`, joining([], orderId(`o-${at}`)))),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      const line = await store.line(name);
      expect(line).toHaveLength(1);
      expect([...(await store.records(line)).keys()]).toEqual(line);
    });

    test('a line is changed only from what it is, and is gone when no order is left', async () => {
      await create('one', joining([], one));
      expect(await store.changeLine({ name, before: [two], after: [] })).toBe(false);
      expect(await store.changeLine({ name, before: [], after: [two] })).toBe(false);
      expect(await store.changeLine({ name, before: [one], after: [] })).toBe(true);
      expect(await store.line(name)).toEqual([]);
      expect(await create('two', joining([], two))).toBe('created');
    });

    test('of many changes of one line at once, one is made', async () => {
      await create('one', joining([], one));
      await create('two', joining([one], two), { line: name, behind: one });
      const changes = await Promise.all([
        store.changeLine({ name, before: [one, two], after: [two] }),
        store.changeLine({ name, before: [one, two], after: [] }),
        create('three', joining([one, two], three), { line: name, behind: two }),
      ]);
      const made = changes.filter((change) => change === true || change === 'created');
      expect(made).toHaveLength(1);
    });

    test('of joins and leaves in any order and at once, no order is lost from its line and none is twice in it', async () => {
      const act = fc.constantFrom<'join' | 'leave'>('join', 'join', 'leave');
      const rounds = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(rounds, async (acts) => {
          const own = await open();
          const expected = { line: [] as OrderId[] };
          let made = 0;
          for (const round of acts) {
            const before = await own.store.line(name);
            expect(before).toEqual(expected.line);
            const outcomes = await Promise.all(
              round.map(async (each): Promise<Line | null> => {
                made += 1;
                const id = orderId(`m-${made}`);
                const first = before[0];
                if (each === 'leave' && first === undefined) return null;
                const after = each === 'leave' && first ? without(before, first) : [...before, id];
                const change = { name, before, after };
                const { order, record } = keyed(id);
                const isMade =
                  each === 'leave'
                    ? await own.store.changeLine(change)
                    : (await own.store.create(order, record, change)) === 'created';
                return isMade ? after : null;
              }),
            );
            const won = outcomes.filter((line) => line !== null);
            const possible = round.some((each) => each === 'join') || before.length > 0;
            expect(won).toHaveLength(possible ? 1 : 0);
            expected.line = [...(won[0] ?? expected.line)];
          }
          await own.close();
        }),
        { numRuns: runs },
      );
    });
  });
}
