/**
 * A model-based test of state stores: for any sequence of calls, also concurrent ones, the results must equal
 * those of a map of the written records. The records are results of `decide`, as in production.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueAt } from '#core/decide/due.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import { type ProcessRecord, type ProcessState, processStates } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { happenings } from '../support/happenings.ts';
import { alone, readOrders } from '../support/orders.ts';
import { everyPage } from './pages.ts';
import { roundingMaxMs, type StoreUnderTest } from './state-store.ts';
import {
  type Call,
  call,
  commit,
  commitAgain,
  commitAtOnce,
  commitSkipping,
  commitStale,
  commitUnknown,
  create,
  createAgain,
  createAtOnce,
  latest,
  type Model,
  type Real,
} from './state-store-writes.ts';

const ids = ['a', 'b', 'c', 'd', 'e'].map(orderId);

const read = (some: readonly OrderId[]) =>
  call(`read ${some.join(', ')}`, async (model, store) => {
    const expected = some.flatMap((id) => model.orders.get(id) ?? []);
    const records = await store.records(some);
    expect(new Map([...records].map(([id, record]) => [id, alone(record)]))).toEqual(
      new Map(expected.map(({ order, revisions }) => [order.orderId, revisions.at(-1)])),
    );
    expect(await readOrders(store, some)).toEqual(
      new Map(expected.map(({ order }) => [order.orderId, order])),
    );
  });

async function expectDue(model: Model, store: StateStore, from: number, to: number, limit: number) {
  const dueOf = (id: OrderId) => {
    const record = latest(model, id);
    return (record === undefined ? null : dueAt(record)) ?? Number.NaN;
  };
  const found: OrderId[] = [];
  for (let shard = 0; shard < store.dueShards; shard += 1) {
    const own = await everyPage(limit, (cursor) => store.due({ shard, from, to, limit, cursor }));
    for (const [at, id] of own.entries()) {
      expect(dueOf(own[at - 1] ?? id), 'earliest first').toBeLessThan(dueOf(id) + roundingMaxMs);
    }
    found.push(...own);
  }
  expect(found.toSorted(), 'each once').toEqual([...new Set(found)].toSorted());
  // The index may hold an order for up to the rounding later than it is due, never earlier.
  const surely = ids.filter((id) => dueOf(id) >= from && dueOf(id) + roundingMaxMs <= to);
  expect(found).toEqual(expect.arrayContaining(surely));
  for (const id of found) {
    expect(dueOf(id)).toBeGreaterThan(from - roundingMaxMs);
    expect(dueOf(id)).toBeLessThanOrEqual(to);
  }
}

const due = (id: OrderId, beforeMs: number, afterMs: number, limit: number) =>
  call(
    `due from ${beforeMs} ms before ${id} to ${afterMs} ms after it, by ${limit}`,
    async (model, store) => {
      const record = latest(model, id);
      const about = (record === undefined ? null : dueAt(record)) ?? model.now;
      await expectDue(model, store, about - beforeMs, about + afterMs, limit);
    },
  );

async function expectList(
  model: Model,
  store: StateStore,
  processState: ProcessState | null,
  limit: number,
): Promise<void> {
  const found = await everyPage(limit, (cursor) => store.list({ processState, limit, cursor }));
  const expected = ids
    .flatMap((id) => latest(model, id) ?? [])
    .filter((record) => processState === null || record.processState === processState);
  const newestFirst = (a: ProcessRecord, b: ProcessRecord) => b.submittedAt - a.submittedAt;
  expect(found.map(({ submittedAt }) => submittedAt)).toEqual(
    expected.toSorted(newestFirst).map(({ submittedAt }) => submittedAt),
  );
  const byId = (a: ProcessRecord, b: ProcessRecord) => (a.orderId < b.orderId ? -1 : 1);
  expect(found.toSorted(byId).map(alone)).toEqual(expected.toSorted(byId));
}

const list = (processState: ProcessState | null, limit: number) =>
  call(`list ${processState ?? 'all'} by ${limit}`, (model, store) =>
    expectList(model, store, processState, limit),
  );

const wait = (ms: number) =>
  call(`wait ${ms} ms`, async (model) => {
    model.now += ms;
  });

const crash = (): Call => ({
  check: () => true,
  async run(_, real) {
    real.under = await real.under.reopen();
  },
  toString: () => 'crash',
});

const id = fc.constantFrom(...ids);
/** Most orders come to their end, as most do; the others cover the rest. */
const happening = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('claim' as const, 'succeed' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...happenings) },
);
const limit = fc.integer({ min: 1, max: 3 });
const committed = fc.tuple(id, happening).map(([...of]) => commit(...of));

/** More than once: what is to come more often. */
const calls: fc.Arbitrary<Call>[] = [
  id.map(create),
  id.map(create),
  id.map(createAgain),
  fc.tuple(id, fc.integer({ min: 2, max: 5 })).map(([...of]) => createAtOnce(...of)),
  ...Array.from({ length: 14 }, () => committed),
  id.map(commitUnknown),
  fc.tuple(id, fc.nat({ max: 2 })).map(([...of]) => commitAgain(...of)),
  fc.tuple(id, happening).map(([...of]) => commitStale(...of)),
  fc.tuple(id, happening).map(([...of]) => commitSkipping(...of)),
  fc
    .tuple(id, fc.array(happening, { minLength: 2, maxLength: 5 }))
    .map(([...of]) => commitAtOnce(...of)),
  fc.subarray(ids).map(read),
  fc
    .tuple(id, fc.nat({ max: 150_000 }), fc.nat({ max: 150_000 }), limit)
    .map(([...of]) => due(...of)),
  fc.tuple(fc.constantFrom(null, ...processStates), limit).map(([...of]) => list(...of)),
  fc.nat({ max: 100_000 }).map(wait),
  fc.constant(crash()),
];

/** `open` returns a new empty store. `runs`: more for fast stores. */
/** ms. With a real server the test takes 6 s on an idle machine, and 20 s on a busy one. */
const aSlowMachineMs = 600_000;

export function stateStoreModel(
  name: string,
  open: () => Promise<StoreUnderTest>,
  runs: number,
): void {
  test(
    `the state store model: ${name} returns the same results as a map`,
    async () => {
      const histories = fc.commands(calls, { maxCommands: 100, size: 'max' });
      const property = fc.asyncProperty(histories, async (history) => {
        const real: Real = { under: await open() };
        const model: Model = { now: Date.UTC(2026, 0, 1), writes: 0, orders: new Map() };
        try {
          await fc.asyncModelRun(() => ({ model, real }), history);
          const { store } = real.under;
          await read(ids).run(model, real);
          await expectDue(model, store, 0, Number.MAX_SAFE_INTEGER, 2);
          for (const state of [null, ...processStates]) await expectList(model, store, state, 2);
        } finally {
          await real.under.close();
        }
      });
      await fc.assert(property, { numRuns: runs });
    },
    aSlowMachineMs,
  );
}
