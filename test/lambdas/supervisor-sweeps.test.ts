/** The deployed Supervisor: what one sweep reads, takes and leaves to others. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { recordItem } from '#aws/store/record-item.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { orderId } from '#core/model/ids.ts';
import { supervisorTimeout } from '#infra/sweep-schedule.ts';
import { type AwsCall, accepted, answeringAws } from '../support/answering-aws.ts';
import { answeringServer } from '../support/answering-server.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { house, newOrder } from '../support/orders.ts';
import { publishedMetrics } from '../support/published-metrics.ts';
import { sqsRecord } from '../support/sqs-record.ts';

const nothing = z.strictObject({});
const common = { input: nothing, output: nothing, undo: 'unneeded' } as const;
const bank = definePool({ name: 'bank', ...common, members: { east: {}, west: {} } });
const transfer = defineWorkflow({ name: 'transfer', version: 1, details: nothing })
  .step('pay', { agent: bank, completeWithin: 5_000, input: () => ({}) })
  .step('note', {
    ...{ agent: defineAgent({ name: 'paint', ...common }), completeWithin: 5_000 },
    input: () => ({}),
  })
  .build();

const values = z.object({
  IndexName: z.string().optional(),
  ExclusiveStartKey: z.unknown().optional(),
  ExpressionAttributeValues: z.record(
    z.string(),
    z.object({ N: z.string().optional(), S: z.string().optional() }),
  ),
});
const page = z.object({ IndexName: z.literal('Due'), Limit: z.int() });
const termOf = ({ input }: AwsCall, name: string) =>
  values.safeParse(input).data?.ExpressionAttributeValues[name];

interface Sweep {
  /** What invokes it. @default the schedule */
  readonly event?: object;
  /** Until the timeout of the function, ms. */
  readonly remainingMs?: number;
  /** Whether the shard has a second page, without orders. */
  readonly hasMore?: boolean;
  /** How long the order has been due. @default ten minutes */
  readonly lateMs?: number;
  /** Of the function. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Sweeps two shards, of which one has an order that is due. */
async function sweep({ event = {}, remainingMs = 60_000, hasMore = false, ...more }: Sweep = {}) {
  const { lateMs = 600_000, variables = {} } = more;
  const published = publishedMetrics();
  const { record } = newOrder('due', Date.now() - lateMs);
  const options = { shards: 2, sweepPeriodMs: 60_000, keepEndedMs: 1 };
  const item = recordItem(options, record);
  const own = item['DueShard']?.N ?? '';
  const { OrderID, DueShard, DueAt } = item;
  const unfinished = { Name: { S: `shard#${own}` }, AliveAt: { N: String(Date.now()) } };
  const aws = await answeringAws((call) => {
    const { data } = values.safeParse(call.input);
    if (data?.IndexName === 'Due') {
      const isOwn = data.ExpressionAttributeValues[':shard']?.N === own;
      const LastEvaluatedKey = { OrderID, DueShard, DueAt };
      if (data.ExclusiveStartKey !== undefined || !isOwn) return { Items: [] };
      return { Items: [LastEvaluatedKey], ...(hasMore && { LastEvaluatedKey }) };
    }
    const text = JSON.stringify(call.input);
    if (call.operation === 'BatchGetItem') {
      return { Responses: { processes: [item], coordination: [unfinished] } };
    }
    return call.operation === 'UpdateItem' && text.includes(`shard#${own}`)
      ? { Attributes: unfinished }
      : accepted(call);
  });
  Object.assign(process.env, {
    ...functionEnvironment(aws.url),
    AWS_LAMBDA_FUNCTION_NAME: 'supervisor',
    REEVE_AGENTS: 'east,west,paint',
    REEVE_RECOVERY: 'sweep',
    REEVE_RECOVERY_PER_SECOND: '1000',
    ...variables,
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
  const handler = supervisorHandler({ workflows: [house, transfer] });
  await handler(
    event,
    lambdaContext(() => remainingMs),
  );
  const shards = aws.calls.flatMap((call) => termOf(call, ':shard')?.N ?? []);
  const pages = aws.calls.filter(({ input }) => values.safeParse(input).data?.IndexName === 'Due');
  return { own, calls: aws.calls, shards: new Set(shards), pages: pages.length, published };
}

test('the metric of sweeps that are late is in seconds', async () => {
  const { published } = await sweep();
  const [{ SweepLag: lag } = { SweepLag: 0 }] = published();
  expect(lag).toBeGreaterThan(500);
  expect(lag).toBeLessThan(700);
});

test('sweeps are late after three periods, and not before', async () => {
  const lagOf = async (lateMs: number) => {
    const { published } = await sweep({ lateMs });
    return published().at(-1)?.['SweepLag'];
  };
  // An order is due ten seconds after it was submitted.
  expect(await lagOf(175_000)).toBeUndefined();
  expect(await lagOf(195_000)).toBeGreaterThan(180);
});

test('a page has no more orders than the shard may recover in a second: without an outage twice its share', async () => {
  const { calls } = await sweep({ variables: { REEVE_RECOVERY_PER_SECOND: '20' } });
  const limits = calls.flatMap(({ input }) => {
    const { data } = page.safeParse(input);
    return data === undefined ? [] : [data.Limit];
  });
  expect(limits).toContain(20);
});

test('a shard that was handed over counts what it finds, as a sweep of all does', async () => {
  const { own } = await sweep();
  const { published } = await sweep({ event: { shard: Number(own) } });
  expect(published().length).toBe(2);
  expect(published().at(-1)).toMatchObject({ OrdersPastDue: 1 });
});

test('a deadline check is left to sweeps after an outage of any shard', async () => {
  const body = deadlineCheckCodec.encode({ orderId: orderId('one'), claimedAt: 1, at: 1 });
  const { calls } = await sweep({ event: { Records: [sqsRecord('1', body)] } });
  const asked = JSON.stringify(calls.filter(({ operation }) => operation === 'BatchGetItem'));
  for (const name of ['shard#0', 'shard#1']) expect(asked).toContain(`"${name}"`);
});

test('a sweep holds its shard for longer than its function may run', async () => {
  const { calls } = await sweep();
  const leases = calls.flatMap((call) => {
    const [now, until] = [':now', ':until'].map((name) => Number(termOf(call, name)?.N));
    return now !== undefined && until !== undefined && until > 0 ? [until - now] : [];
  });
  expect(leases.length).toBeGreaterThan(0);
  for (const lease of leases) expect(lease).toBeGreaterThan(supervisorTimeout.toMilliseconds());
});

test('orders that wait for a pool are looked for as those that wait for an agent', async () => {
  const { calls } = await sweep();
  const asked = calls.flatMap((call) => termOf(call, ':for')?.S ?? []);
  for (const name of ['east', 'west', 'paint', 'bank']) {
    expect(asked).toContain(`${name}#normal`);
  }
});

test('a shard that was handed over is swept alone, page by page, as long as there is time', async () => {
  const { own, shards } = await sweep();
  expect(shards.size).toBeGreaterThan(1);
  const event = { shard: Number(own) };
  const handedOver = await sweep({ event, hasMore: true });
  expect([...handedOver.shards]).toEqual([own]);
  expect(handedOver.pages).toBe(2);
  // Ten seconds are for the last writes.
  const { pages } = await sweep({ event, hasMore: true, remainingMs: 9_000 });
  expect(pages).toBe(1);
});

test('a busy shard is handed over to the alias of the function, without waiting for its sweep', async () => {
  const lambda = await answeringServer((response) => void response.writeHead(202).end());
  const before = process.env['AWS_ENDPOINT_URL_LAMBDA'];
  process.env['AWS_ENDPOINT_URL_LAMBDA'] = lambda.url;
  onTestFinished(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, 'AWS_ENDPOINT_URL_LAMBDA');
  });
  const { sweepInOwnInvocation } = await import('../../lambdas/own-invocation.ts');
  await sweepInOwnInvocation(3, { name: 'supervisor', alias: 'live' });
  await sweepInOwnInvocation(4, { name: 'supervisor', alias: undefined });
  expect(
    lambda.received.map(({ url, headers, body }) => [url, headers['x-amz-invocation-type'], body]),
  ).toEqual([
    ['/2015-03-31/functions/supervisor/invocations?Qualifier=live', 'Event', '{"shard":3}'],
    ['/2015-03-31/functions/supervisor/invocations', 'Event', '{"shard":4}'],
  ]);
});
