/** The writes of the state store model: their expected results, and the records after them. */
import type fc from 'fast-check';
import { expect } from 'vitest';
import { type OrderId, writeId } from '#core/model/ids.ts';
import type { Order, PendingRecord, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type Happening, happened } from '../support/happenings.ts';
import { largeOrder, newOrder } from '../support/orders.ts';
import type { StoreUnderTest } from './state-store.ts';

interface Written {
  readonly order: Order;
  /** All of them, from the first. */
  readonly revisions: readonly ProcessRecord[];
}

export interface Model {
  now: number;
  /** Gives each write an id of its own. */
  writes: number;
  readonly orders: Map<OrderId, Written>;
}

export interface Real {
  under: StoreUnderTest;
}

export type Call = fc.AsyncCommand<Model, Real>;

/** `says`: the text in failure reports. */
export const call = (
  says: string,
  run: (model: Model, store: StateStore) => Promise<void>,
  check: (model: Model) => boolean = () => true,
): Call => ({ run: (model, { under }) => run(model, under.store), check, toString: () => says });

function fresh(model: Model, id: OrderId): { order: Order; record: PendingRecord } {
  model.writes += 1;
  // Every third is too large to be stored with its record.
  const { order, record } = (model.writes % 3 === 0 ? largeOrder : newOrder)(id, model.now);
  const write = `w${model.writes}`;
  return { order: { ...order, digest: write }, record: { ...record, writeId: writeId(write) } };
}

/** The next revision under a write id of its own; the time moves on to it. */
function after(model: Model, record: ProcessRecord, wished: Happening): ProcessRecord | null {
  model.writes += 1;
  const result = happened(record, wished, model.now, `w${model.writes}`);
  model.now = Math.max(model.now, result?.updatedAt ?? 0);
  return result;
}

export const latest = (model: Model, id: OrderId) => model.orders.get(id)?.revisions.at(-1);

function keep(model: Model, record: ProcessRecord): void {
  const written = model.orders.get(record.orderId);
  if (written === undefined) throw new Error('a commit of an order that was never created');
  model.orders.set(record.orderId, { ...written, revisions: [...written.revisions, record] });
}

export const create = (id: OrderId) =>
  call(`create ${id}`, async (model, store) => {
    const { order, record } = fresh(model, id);
    const isNew = !model.orders.has(id);
    expect(await store.create(order, record)).toBe(isNew ? 'created' : 'exists');
    if (isNew) model.orders.set(id, { order, revisions: [record] });
  });

export const createAgain = (id: OrderId) =>
  call(
    `create ${id} by the write that made it`,
    async (model, store) => {
      const written = model.orders.get(id);
      const [first] = written?.revisions ?? [];
      if (written === undefined || first?.processState !== 'Pending') return;
      const isLatest = written.revisions.length === 1;
      expect(await store.create(written.order, first)).toBe(isLatest ? 'created' : 'exists');
    },
    (model) => model.orders.has(id),
  );

export const createAtOnce = (id: OrderId, writers: number) =>
  call(`create ${id} by ${writers} at once`, async (model, store) => {
    const all = Array.from({ length: writers }, () => fresh(model, id));
    const outcomes = await Promise.all(all.map(({ order, record }) => store.create(order, record)));
    const won = all.filter((_, at) => outcomes[at] === 'created');
    expect(won).toHaveLength(model.orders.has(id) ? 0 : 1);
    for (const { order, record } of won) model.orders.set(id, { order, revisions: [record] });
  });

export const commit = (id: OrderId, happening: Happening) =>
  call(
    `commit ${happening} to ${id}`,
    async (model, store) => {
      const before = latest(model, id);
      const record = before === undefined ? null : after(model, before, happening);
      if (record === null) return;
      expect(await store.commit(record)).toBe('committed');
      keep(model, record);
    },
    (model) => model.orders.has(id),
  );

export const commitUnknown = (id: OrderId) =>
  call(
    `commit to ${id}, which is not there`,
    async (model, store) => {
      const record = after(model, fresh(model, id).record, 'claim');
      if (record !== null) expect(await store.commit(record)).toBe('conflict');
    },
    (model) => !model.orders.has(id),
  );

/** `back`: how many revisions ago. Only the latest write is recognised as one's own. */
export const commitAgain = (id: OrderId, back: number) =>
  call(
    `commit again what ${id} was ${back} revisions ago`,
    async (model, store) => {
      const record = model.orders.get(id)?.revisions.at(-1 - back);
      if (record === undefined) return;
      expect(await store.commit(record)).toBe(back === 0 ? 'committed' : 'conflict');
    },
    (model) => (model.orders.get(id)?.revisions.length ?? 0) > back + 1,
  );

export const commitStale = (id: OrderId, happening: Happening) =>
  call(
    `commit ${happening} to ${id} as it was before`,
    async (model, store) => {
      const before = model.orders.get(id)?.revisions.at(-2);
      const record = before === undefined ? null : after(model, before, happening);
      if (record !== null) expect(await store.commit(record)).toBe('conflict');
    },
    (model) => (model.orders.get(id)?.revisions.length ?? 0) > 1,
  );

export const commitSkipping = (id: OrderId, happening: Happening) =>
  call(
    `commit ${happening} to ${id} after a revision that was never committed`,
    async (model, store) => {
      const before = latest(model, id);
      const skipped = before === undefined ? null : after(model, before, 'claim');
      const record = skipped === null ? null : after(model, skipped, happening);
      if (record !== null) expect(await store.commit(record)).toBe('conflict');
    },
    (model) => model.orders.has(id),
  );

export const commitAtOnce = (id: OrderId, wishes: readonly Happening[]) =>
  call(
    `commit ${wishes.join(', ')} to ${id} at once`,
    async (model, store) => {
      const before = latest(model, id);
      if (before === undefined) return;
      const all = wishes.flatMap((wished) => after(model, before, wished) ?? []);
      const outcomes = await Promise.all(all.map((record) => store.commit(record)));
      const won = all.filter((_, at) => outcomes[at] === 'committed');
      expect(won).toHaveLength(Math.min(all.length, 1));
      for (const record of won) keep(model, record);
    },
    (model) => model.orders.has(id),
  );
