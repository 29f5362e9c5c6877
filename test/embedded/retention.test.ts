import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import {
  agentName,
  type OrderId,
  orderId,
  schedulerId,
  stepName,
  writeId,
} from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { testLog } from '../support/log.ts';

const agent = defineAgent({
  name: 'paint',
  input: z.object({}),
  output: z.object({}),
  undo: 'unneeded',
});
const definition = defineWorkflow({ name: 'house', version: 1, details: z.object({}) })
  .step('paint', { agent, onFault: 'hold', input: () => ({}) })
  .build();
const day = 24 * 3_600_000;

const stores: SqliteStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

function openStore(): SqliteStore {
  const store = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log: testLog() });
  stores.push(store);
  return store;
}

/** An order submitted and processed, or stopped in Error, at that instant. */
async function ordered(store: SqliteStore, id: string, at: number, end: 'Processed' | 'Error') {
  const ids = {
    orderId: orderId(id),
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const { record } = submitted(
    { type: 'submit', by: 'ada', ...ids },
    definition,
    at,
    writeId(`${id}.0`),
  );
  await store.create({ orderId: ids.orderId, details: {}, digest: '', submittedAt: at }, record);
  const known = { definition, details: {} };
  const reply = { step: stepName('paint'), attempt: 1, agent: agentName('paint') };
  const fault = { code: 'no-paint', message: 'none left', effect: 'none' } as const;
  const last =
    end === 'Processed'
      ? ({ type: 'stepSucceeded', ...reply, output: {} } as const)
      : ({ type: 'stepFailed', ...reply, fault } as const);
  let current: ProcessRecord = record;
  for (const event of [{ type: 'claim', by: schedulerId('s') } as const, last]) {
    const decision = decide(current, event, known, at);
    if (decision.kind !== 'transition') throw new Error(`ignored: ${decision.reason}`);
    current = { ...decision.record, writeId: writeId(`${id}.${current.revision}`) };
    await store.commit(current);
  }
  expect(current.processState).toBe(end);
}

async function left(store: SqliteStore, ...ids: string[]): Promise<OrderId[]> {
  return [...(await store.records(ids.map(orderId))).keys()];
}

test('an order that ended long ago is deleted with its key', async () => {
  const store = openStore();
  await ordered(store, 'old', day, 'Processed');
  await ordered(store, 'young', 40 * day, 'Processed');

  expect((await store.deleteEnded(31 * day, 61 * day)).deleted).toBe(1);

  expect(await left(store, 'old', 'young')).toEqual(['young']);
  expect([...(await store.orders([orderId('old')])).keys()]).toEqual([]);
});

test('an order in Error is kept regardless of its age', async () => {
  const store = openStore();
  await ordered(store, 'stuck', day, 'Error');

  expect((await store.deleteEnded(1_000 * day, 1_030 * day)).deleted).toBe(0);

  expect(await left(store, 'stuck')).toEqual(['stuck']);
});

test('more orders than one batch are deleted batch by batch, past those that are kept', async () => {
  const store = openStore();
  await ordered(store, 'stuck', day, 'Error');
  await Promise.all(
    Array.from({ length: 700 }, (_, at) => ordered(store, `old-${at}`, day, 'Processed')),
  );

  const first = await store.deleteEnded(31 * day, 61 * day);
  const second = await store.deleteEnded(31 * day, 61 * day);

  expect(first).toEqual({ deleted: 499, hasMore: true });
  expect(second).toEqual({ deleted: 201, hasMore: false });
  expect((await store.deleteEnded(31 * day, 61 * day)).deleted).toBe(0);
  expect(await left(store, 'stuck')).toEqual(['stuck']);
});
