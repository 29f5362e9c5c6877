/** Orders of a small workflow, created by the shipped core. */
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { RecordEvent } from '#core/model/event.ts';
import {
  agentName,
  type OrderId,
  orderId,
  schedulerId,
  stepName,
  writeId,
} from '#core/model/ids.ts';
import type { Order, PendingRecord, ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { ordersOf } from '#roles/orders-of.ts';

const paint = defineAgent({
  name: 'paint',
  input: z.object({ colour: z.string() }),
  output: z.object({ litres: z.number() }),
  undo: 'offered',
});

const policy = { completeWithin: 10_000, retries: 1, coolDown: { after: 60_000, times: 1 } };

/** Two walls in parallel, then the roof. */
export const house = defineWorkflow({
  name: 'house',
  version: 1,
  details: z.object({ colour: z.string() }),
})
  .step('east', { agent: paint, ...policy, input: ({ details }) => details })
  .step('west', { agent: paint, ...policy, input: ({ details }) => details })
  .step('roof', {
    agent: paint,
    after: ['east', 'west'],
    ...policy,
    onExhausted: 'hold',
    input: ({ details }) => details,
  })
  .build();

export const details = { colour: 'blue' };

export function newOrder(
  id: string,
  at: number,
  replyTo: string | null = null,
  correlationId: string | null = null,
): { order: Order; record: PendingRecord } {
  const common = {
    orderId: orderId(id),
    priority: 'normal',
    tenant: null,
    replyTo,
    correlationId,
  } as const;
  const { record } = submitted(
    { type: 'submit', by: 'ada', ...common },
    house,
    at,
    writeId(`${id}.1`),
  );
  const order = { orderId: common.orderId, details, digest: `digest-${id}`, submittedAt: at };
  return { order, record };
}

/** An order whose details no store keeps with its record. */
export function largeOrder(id: string, at: number): ReturnType<typeof newOrder> {
  const { order, record } = newOrder(id, at);
  return { order: { ...order, details: { ...details, note: 'x'.repeat(800) } }, record };
}

/** The orders with these ids, as roles read them. */
export const readOrders = async (
  store: Pick<StateStore, 'orders' | 'records'>,
  ids: readonly OrderId[],
): Promise<ReadonlyMap<OrderId, Order>> =>
  ordersOf(store, [...(await store.records(ids)).values()]);

/** A record without the document of its order, which some stores keep with it. */
export const alone = ({ document: _, ...record }: ProcessRecord) => record;

/** The next revision, with its own write id. */
export function next(
  record: ProcessRecord,
  event: RecordEvent,
  at: number,
  write = `${record.orderId}.${record.revision + 1}`,
): ProcessRecord {
  const decision = decide(record, event, { definition: house, details }, at);
  if (decision.kind === 'ignored') throw new Error(`${event.type} ignored: ${decision.reason}`);
  return { ...decision.record, writeId: writeId(write) };
}

export const claimed = (record: ProcessRecord, at: number, by = 'scheduler', write?: string) =>
  next(record, { type: 'claim', by: schedulerId(by) }, at, write);

export const succeeded = (record: ProcessRecord, step: string, at: number): ProcessRecord => {
  const name = stepName(step);
  const attempt = record.steps.find((candidate) => candidate.name === name)?.attempt ?? 0;
  const agent = agentName('paint');
  return next(
    record,
    { type: 'stepSucceeded', step: name, attempt, agent, output: { litres: 3 } },
    at,
  );
};
