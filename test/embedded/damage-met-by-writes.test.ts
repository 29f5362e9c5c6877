/** Damage that a write meets: whichever page is lost, what rejects a request is also logged, and makes the health degraded. */
import { copyFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { agentName, lineName, orderId } from '#core/model/ids.ts';
import type { SqliteStore } from '#embedded/sqlite-store.ts';
import { claimed, newOrder } from '../support/orders.ts';
import {
  accepted,
  ended,
  opened,
  pageLost,
  rootOf,
  somewhere,
  spoiledOnDisk,
} from '../support/stored-data.ts';

const now = Date.UTC(2026, 0, 1);
const line = lineName('a'.repeat(40));
const agent = agentName('paint');

async function stored(): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, 'one', 'two');
  await ended(store, 'old', 0);
  await store.changeLine({ name: line, before: [], after: [orderId('one')] });
  await store.agentSettings.store(agent, {
    kind: 'weight',
    value: { value: 1, by: 'ada', at: now },
  });
  store.close();
  return path;
}

const fault = { code: 'x', message: 'y', effect: 'none', step: null, action: null } as const;
const run = StatementSync.prototype.run;
const nameRow = z.object({ name: z.string() });
function namesIn(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0').all();
  database.close();
  // A start refuses data whose totals cannot be read, and SQLite reads its own table first.
  return rows.map((row) => nameRow.parse(row).name).filter((name) => name !== 'Totals');
}

const requests: Readonly<Record<string, (store: SqliteStore) => unknown>> = {
  'the creation of an order': (store) => {
    const { order, record } = newOrder('new', now, 'shop', 'cart');
    return store.create(order, record);
  },
  'the creation of an order with a line': (store) => {
    const { order, record } = newOrder('next', now);
    return store.create(order, record, { name: line, before: [orderId('one')], after: [] });
  },
  'a transition': (store) =>
    store.commit(claimed(newOrder('one', now, 'shop', 'cart-one').record, now)),
  'a transition to Error': (store) =>
    store.commit({
      ...claimed(newOrder('two', now, 'shop', 'cart-two').record, now),
      ...{ processState: 'Error', lockedBy: null, fault },
    }),
  'the deletion of a change': (store) => store.deleteChange(1),
  'the deletion of ended orders': (store) => store.deleteEnded(now, now),
  'the change of a line': (store) =>
    store.changeLine({ name: line, before: [orderId('one')], after: [] }),
  'the read of a line': (store) => store.line(line),
  'the setting of an agent': (store) =>
    store.agentSettings.store(agent, { kind: 'weight', value: { value: 2, by: 'ada', at: now } }),
  'the read of settings': (store) => store.agentSettings.read(),
};

test('each lost page is reported by each request that fails for it', async () => {
  const path = await stored();
  const names = namesIn(path);
  expect(names).toEqual(expect.arrayContaining(['Orders', 'Correlation', 'Lines', 'Changes']));
  const failed = new Set<string>();
  for (const name of names) {
    for (const [what, ask] of Object.entries(requests)) {
      const damaged = somewhere();
      for (const suffix of ['', '-totals']) copyFileSync(path + suffix, damaged + suffix);
      const root = rootOf(damaged, name);
      const { store, log } = opened(damaged);
      // After the start, which refuses data of which it cannot read what it needs.
      pageLost(damaged, root);
      const asked = (async () => ask(store))();
      const error = await asked.then(
        () => null,
        (reason: unknown) => reason,
      );
      const isReported = store.damaged() > 0 || store.refusal() === 'store-damaged';
      const events = log.lines.map(({ event }) => event);
      const state = [name, what, isReported, events.includes('store-damaged')];
      if (error === null) {
        store.close();
        continue;
      }
      failed.add(name);
      expect(state).toEqual([name, what, true, true]);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(store|row)-damaged$/) });
      store.close();
    }
  }
  expect([...failed].toSorted()).toEqual(names.toSorted());
});

test('a table that is not as it was written is reported by the order that would replace another', async () => {
  const path = await stored();
  const { store, log } = opened(path);
  const one = (await store.records([orderId('one')])).get(orderId('one'));
  if (one === undefined) throw new RangeError('one');
  // What was read stays in memory.
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...values
  ) {
    const changed = run.apply(this, values);
    return this.sourceSQL.startsWith('UPDATE Processes') ? { ...changed, changes: 0 } : changed;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { order, record } = newOrder('new', now);
  const before = [orderId('one')];
  const created = store.create(order, record, {
    ...{ name: line, before, after: [...before, order.orderId] },
    replaced: claimed(one, now),
  });
  await expect(created).rejects.toMatchObject({ code: 'row-damaged' });
  expect([store.damaged(), log.lines.map(({ event }) => event)]).toEqual([1, ['store-damaged']]);
});

test.each([
  ['sqlite_autoindex_Processes_1', 'row-corrupt'],
  ['sqlite_autoindex_Orders_1', 'store-refused'],
])('a repeated submission makes no second order where its id is lost in %s', async (tree, code) => {
  const path = await stored();
  spoiledOnDisk(path, tree, 'two', 'twx');
  const { store } = opened(path);
  onTestFinished(() => store.close());
  const { order, record } = newOrder('two', now);
  await expect(store.create(order, record)).rejects.toMatchObject({ code });
});
