/** The deployed Supervisor: what the settings of its stack change in a tick. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { heldFlowOf } from '#aws/store/held-key.ts';
import { recordItem } from '#aws/store/record-item.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { type AwsCall, accepted, answeringAws } from '../support/answering-aws.ts';
import { functionEnvironment } from '../support/function-environment.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { claimed, house, newOrder } from '../support/orders.ts';

/** Runs one tick where AWS gives these answers; undefined: the usual one. */
async function tick(
  variables: Readonly<Record<string, string>>,
  answer: (call: AwsCall) => object | undefined,
) {
  const aws = await answeringAws((call) => answer(call) ?? accepted(call));
  Object.assign(process.env, {
    ...functionEnvironment(aws.url),
    REEVE_RECOVERY_PER_SECOND: '1000',
    REEVE_TENANT_WEIGHTS: '{}',
    ...variables,
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { supervisorHandler } = await import('../../lambdas/supervisor.ts');
  await supervisorHandler({ workflows: [house] })(
    {},
    lambdaContext(() => 60_000),
  );
  return aws.calls;
}

const query = z.object({
  IndexName: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ N: z.string().optional() })),
});
const sent = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ MessageBody: z.string() })),
});

test('with prompt recovery, a tick sends the checks of deadlines that come soon; otherwise none', async () => {
  // Ahead, so that the check is due after the tick also where a busy machine takes long for it.
  const now = Date.now() + 30_000;
  const record = claimed(newOrder('far', now).record, now);
  const item = recordItem({ shards: 2, sweepPeriodMs: 60_000, keepEndedMs: 1 }, record);
  const checksOf = async (REEVE_RECOVERY: string) => {
    const calls = await tick({ REEVE_RECOVERY }, ({ operation, input }) => {
      if (operation === 'BatchGetItem') return { Responses: { processes: [item] } };
      const { data } = query.safeParse(input);
      if (data?.IndexName !== 'Due') return undefined;
      const { ':shard': shard, ':to': to } = data.ExpressionAttributeValues;
      const isAhead = Number(to?.N) > Date.now() && shard?.N === item['DueShard']?.N;
      // A key that is not rounded: the order was to be due later than a message can be delayed.
      const key = { OrderID: item['OrderID'], DueShard: item['DueShard'], DueAt: { N: '1' } };
      return { Items: isAhead ? [key] : [] };
    });
    return calls.flatMap(({ input }) => {
      const { data } = sent.safeParse(input);
      if (data?.QueueUrl.endsWith('/test_check') !== true) return [];
      return data.Entries.map(({ MessageBody }) => deadlineCheckCodec.decode(MessageBody));
    });
  };
  expect(await checksOf('sweep')).toEqual([]);
  expect(await checksOf('prompt')).toEqual([
    { kind: 'message', message: { orderId: record.orderId, claimedAt: now, at: now + 10_001 } },
  ]);
});

test('the reported rate counts what tenants received by their weights', async () => {
  const [acme, beta] = [heldFlowOf('acme'), heldFlowOf('beta')];
  const from = Date.now() - 60_000;
  const before = {
    ...{ agent: 'paint', priority: 'normal', isUnavailable: false, waiting: 100, flows: 2 },
    ...{ largest: [{ flow: acme, waiting: 60 }], perSecond: null, from, waitingFrom: 100 },
  };
  const since = String(from - 1).padStart(14, '0');
  const turns = [acme, beta].map((flow) => ({ HeldTurn: { S: `${flow}#${since}` } }));
  const rateWith = async (REEVE_TENANT_WEIGHTS: string) => {
    const calls = await tick({ REEVE_TENANT_WEIGHTS }, ({ operation, input }) => {
      const text = JSON.stringify(input);
      if (operation === 'GetItem' && text.includes('"admission"')) {
        return { Item: { At: { N: String(from) }, Classes: { S: JSON.stringify([before]) } } };
      }
      if (text.includes('"paint#normal"')) {
        const waiting = { OrderID: { S: 'one' }, HeldTurn: turns[0]?.HeldTurn };
        return { Items: text.includes('ProjectionExpression":"HeldTurn') ? turns : [waiting] };
      }
      return undefined;
    });
    const stored = z.object({
      ExpressionAttributeValues: z.object({ ':classes': z.object({ S: z.string() }) }),
    });
    const [classes] = calls.flatMap(({ input }) => {
      const { data } = stored.safeParse(input);
      return data === undefined ? [] : [data.ExpressionAttributeValues[':classes'].S];
    });
    const [own] = z.array(z.object({ perSecond: z.number() })).parse(JSON.parse(classes ?? '[]'));
    return own?.perSecond ?? 0;
  };
  // 59 orders of acme have left in a minute: with the weight 4 as much as 14.75 of beta have.
  expect(await rateWith('{}')).toBeCloseTo((59 * 2) / 60, 1);
  expect(await rateWith('{"acme":4}')).toBeCloseTo((59 + 59 / 4) / 60, 1);
});
