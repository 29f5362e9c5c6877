/** Orders that wait longer than a message can be delayed. */
import { expect, test } from 'vitest';
import { CorruptDataError } from '#core/model/errors.ts';
import { type OrderId, orderId, writeId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Nudge } from '#core/model/message.ts';
import type { StateStore } from '#ports/state-store.ts';
import { lookAhead } from '#roles/recovery/look-ahead.ts';
import { type RoleScenario, roleScenario } from '../scenario.ts';

const sweepPeriodMs = 60_000;

async function waitUntil(world: RoleScenario, id: string, at: number): Promise<OrderId> {
  const record = await world.create(id);
  await world.store.commit({ ...record, notBefore: at, revision: 2, writeId: writeId(id) });
  return record.orderId;
}

function looking(world: RoleScenario, over: Partial<StateStore> = {}) {
  const sent: Nudge[] = [];
  const nudges = { send: async (some: readonly Nudge[]) => void sent.push(...some) };
  const ports = { ...world, store: { ...world.store, ...over }, nudges, sweepPeriodMs };
  return { sent, look: () => lookAhead(ports, 0) };
}

test('an order whose wait ends within two periods gets its delayed nudge, and no write', async () => {
  const world = roleScenario();
  const at = world.clock.now() + 2 * sweepPeriodMs;
  const id = await waitUntil(world, 'one', at);
  await waitUntil(world, 'later', at + 2 * sweepPeriodMs);
  const { sent, look } = looking(world);
  await look();
  expect(sent).toEqual([{ orderId: id, priority: 'normal', at }]);
  expect((await world.record(id)).revision).toBe(2);
});

test('an order that can be claimed, or is in work, gets none', async () => {
  const world = roleScenario();
  await world.create('unclaimed');
  await world.createClaimed('claimed');
  const { sent, look } = looking(world);
  await look();
  expect(sent).toEqual([]);
});

test('an order that cannot be read hides no other', async () => {
  const world = roleScenario();
  const at = world.clock.now() + sweepPeriodMs;
  for (const id of ['corrupt', 'one']) await waitUntil(world, id, at);
  const { sent, look } = looking(world, {
    async records(ids) {
      if (ids.includes(orderId('corrupt'))) throw new CorruptDataError('record-corrupt', 'Test.');
      return world.store.records(ids);
    },
  });
  await look();
  expect(sent.map(({ orderId: id }) => id)).toEqual(['one']);
});

test('a look ahead that fails is logged, and fails no sweep', async () => {
  const world = roleScenario();
  const { look } = looking(world, { due: () => Promise.reject(new Error('away')) });
  await look();
  expect(world.log.lines.map(({ event }) => event)).toEqual(['look-ahead-failed']);
});

test('one look nudges a bounded number of orders, the earliest first', async () => {
  const world = roleScenario();
  const start = world.clock.now();
  const count = limits.lookAheadMax + 3;
  const keys = Array.from({ length: count }, (_, at) => orderId(`order-${at}`));
  const record = await world.create('one');
  const { sent, look } = looking(world, {
    due: async () => ({ items: keys, cursor: null }),
    records: async (ids) =>
      new Map(ids.map((id) => [id, { ...record, orderId: id, notBefore: start + 5_000 }])),
  });
  await look();
  expect(sent).toHaveLength(limits.lookAheadMax);
  expect(sent.at(-1)?.orderId).toBe(keys.at(limits.lookAheadMax - 1));
});
