/** The deployed Scheduler: which of the orders that wait for an agent it starts after replies, and when it reads what operators changed. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { heldFlowOf } from '#aws/store/held-key.ts';
import { recordItem } from '#aws/store/record-item.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName, orderId, stepName } from '#core/model/ids.ts';
import type { WorkflowsOption } from '../../lambdas/workflows-option.ts';
import { type AwsCall, accepted, answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { claimed, house, newOrder, next } from '../support/orders.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const nothing = z.strictObject({});
const bank = definePool({
  ...{ name: 'bank', input: nothing, output: nothing, undo: 'unneeded' },
  members: { east: {}, west: {} },
});
const transfer = defineWorkflow({ name: 'transfer', version: 1, details: nothing })
  .step('pay', { agent: bank, completeWithin: 5_000, input: () => ({}) })
  .build();

const [east, west] = [stepName('east'), stepName('west')];

/** An order with one wall that its agent has given back, and one that is being painted. */
function halfHeld(id: string, at: number, by: string) {
  const record = claimed(newOrder(id, at).record, at);
  const agent = agentName(by);
  const steps = record.steps.map((step) => ({ ...step, agent }));
  const event = { type: 'deferred', gate: 'concurrency', retryAfterMs: 1_000 } as const;
  return next({ ...record, steps }, { ...event, step: east, attempt: 1, agent }, at);
}

const asked = z.object({
  ExpressionAttributeValues: z.object({ ':for': z.object({ S: z.string() }) }),
});
const read = z.object({
  RequestItems: z.object({
    processes: z.object({ Keys: z.array(z.object({ OrderID: z.object({ S: z.string() }) })) }),
  }),
});
const keysOf = ({ input }: AwsCall) =>
  (read.safeParse(input).data?.RequestItems.processes.Keys ?? []).map((key) => key.OrderID.S);

interface Replies {
  readonly variables?: Readonly<Record<string, string>>;
  /** @default that of the orders alone */
  readonly workflows?: WorkflowsOption['workflows'];
  /** @default that of the workflow */
  readonly agent?: string;
}

/** A Scheduler that receives five replies of an agent, for which ten orders of each of two tenants wait. */
async function afterReplies({ variables = {}, workflows = [house], agent = 'paint' }: Replies) {
  const now = Date.now();
  const replied = new Map(
    Array.from({ length: 5 }, (_, at) => halfHeld(`replied${at}`, now, agent)).map((record) => [
      String(record.orderId),
      recordItem({ shards: 2, sweepPeriodMs: 60_000, keepEndedMs: 1 }, record),
    ]),
  );
  const waiting = ['acme', 'beta'].flatMap((tenant) =>
    Array.from({ length: 10 }, (_, at) => ({
      OrderID: { S: `${tenant}${at}` },
      HeldTurn: { S: `${heldFlowOf(tenant)}#${String(now - 1_000).padStart(14, '0')}` },
    })),
  );
  const aws = await answeringAws((call) => {
    if (call.operation === 'BatchGetItem') {
      const items = keysOf(call).map((id) => replied.get(id));
      return { Responses: { processes: items.filter((item) => item !== undefined) } };
    }
    const heldFor = asked.safeParse(call.input).data?.ExpressionAttributeValues[':for'].S;
    return heldFor === `${agent}#normal` ? { Items: waiting } : accepted(call);
  });
  Object.assign(process.env, {
    ...functionEnvironment(aws.url),
    REEVE_AGENTS: agent,
    REEVE_RECOVERY: 'sweep',
    REEVE_TENANT_WEIGHTS: '{}',
    ...variables,
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
  const handler = schedulerHandler({ workflows });
  const replies = [...replied.keys()].map((id) => {
    const reply = { step: west, attempt: 1, action: 'perform' } as const;
    const result = { kind: 'succeeded', output: { litres: 3 } } as const;
    const body = replyCodec.encode({ orderId: orderId(id), ...reply, result });
    return sqsRecord(id, body, `arn:aws:sqs:us-east-1:000000000000:test_reply_${agent}`);
  });
  const invoke = () => handler({ Records: replies }, lambdaContext());
  await invoke();
  return { calls: aws.calls, invoke };
}

const startedOf = (calls: readonly AwsCall[], tenant: string) =>
  new Set(calls.flatMap(keysOf).filter((id) => id.startsWith(tenant))).size;

test('of the orders that wait, tenants get their shares by their weights', async () => {
  const equal = await afterReplies({});
  expect(startedOf(equal.calls, 'acme')).toBe(startedOf(equal.calls, 'beta'));
  const { calls } = await afterReplies({ variables: { REEVE_TENANT_WEIGHTS: '{"acme":4}' } });
  expect(startedOf(calls, 'acme')).toBe(8);
  expect(startedOf(calls, 'beta')).toBe(2);
});

test('after replies of a member, orders that wait for its pool are looked for, too', async () => {
  const heldFor = async (agent: string) => {
    const { calls } = await afterReplies({ agent, workflows: [house, transfer] });
    return calls.flatMap(({ input }) => {
      const { data } = asked.safeParse(input);
      return data === undefined ? [] : [data.ExpressionAttributeValues[':for'].S];
    });
  };
  expect(await heldFor('paint')).not.toContain('bank#normal');
  expect(await heldFor('bank-east')).toContain('bank#normal');
});

test('what operators changed of agents is read every second where there are pools, and otherwise every ten', async () => {
  const readsIn = async (workflows: WorkflowsOption['workflows']) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { calls, invoke } = await afterReplies({ workflows });
      vi.setSystemTime(Date.now() + 2_000);
      await invoke();
      return calls.filter(
        ({ operation, input }) =>
          operation === 'GetItem' && JSON.stringify(input).includes('{"S":"agents"}'),
      ).length;
    } finally {
      vi.useRealTimers();
    }
  };
  expect(await readsIn([house])).toBe(1);
  expect(await readsIn([house, transfer])).toBe(2);
});
