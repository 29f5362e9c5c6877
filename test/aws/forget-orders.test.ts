/** Deletion of expired orders: the requests to DynamoDB. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { dynamoLines } from '#aws/store/dynamo-lines.ts';
import { forgetOrders } from '#aws/store/forget-orders.ts';
import { lineName, orderId } from '#core/model/ids.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { type AwsCall, answeringAws } from '../support/answering-aws.ts';
import { testDynamoClient } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';

const deletion = z.strictObject({
  DeleteRequest: z.strictObject({
    Key: z.strictObject({ OrderID: z.strictObject({ S: z.string() }) }),
  }),
});
const inputSchema = z.strictObject({
  RequestItems: z.strictObject({ Orders: z.array(deletion).min(1).max(25) }),
});
const deletionsIn = ({ input }: AwsCall) => inputSchema.parse(input).RequestItems.Orders;
const idsIn = (call: AwsCall) =>
  deletionsIn(call).map(({ DeleteRequest }) => DeleteRequest.Key.OrderID.S);

const options = (client: DynamoDBClient, log = testLog()) => ({
  client,
  table: 'Orders',
  log,
  lines: dynamoLines({ client, table: 'Orders', clock: systemClock, random: systemRandom }),
});

async function forgetting(
  answer: (call: AwsCall, number: number) => object,
  ids: readonly string[],
) {
  const { calls, url } = await answeringAws(answer);
  const removed = ids.map((id) => ({ orderId: orderId(id), line: null }));
  const outcome = await forgetOrders(options(testDynamoClient(url)), removed).then(
    () => 'gone' as const,
    (error: unknown) => ({ error }),
  );
  return { calls, outcome };
}

test('each order is deleted once, in as few requests as DynamoDB takes', async () => {
  const { calls, url } = await answeringAws(() => ({ UnprocessedItems: {} }));
  const client = testDynamoClient(url);
  const id = fc.integer({ min: 1, max: 60 }).map((number) => orderId(`order-${number}`));
  await fc.assert(
    fc.asyncProperty(fc.array(id, { maxLength: 120, size: 'max' }), async (ids) => {
      const before = calls.length;
      const removed = ids.map((id) => ({ orderId: id, line: null }));
      await forgetOrders(options(client), removed);
      const own = calls.slice(before);
      const unique = [...new Set(ids)];
      expect(own.flatMap(idsIn)).toEqual(unique);
      expect(own).toHaveLength(Math.ceil(unique.length / 25));
      expect(own.every(({ operation }) => operation === 'BatchWriteItem')).toBe(true);
    }),
    { numRuns: 15, examples: [[[]]] },
  );
});

const ids = Array.from({ length: 26 }, (_, at) => `order-${at}`);

test('unprocessed deletions are an error with their number, and no further request is sent', async () => {
  const { calls, outcome } = await forgetting(
    (call) => ({ UnprocessedItems: { Orders: deletionsIn(call).slice(0, 2) } }),
    ids,
  );
  expect(outcome).toMatchObject({
    error: {
      code: 'deletes-throttled',
      message: expect.stringMatching(/^2 orders were not deleted\./),
    },
  });
  expect(calls).toHaveLength(1);
});

test.each([{}, { UnprocessedItems: {} }, { UnprocessedItems: { Orders: [] } }])(
  'the answer %j has no unprocessed deletions',
  async (answer) => {
    const { calls, outcome } = await forgetting(() => answer, ids);
    expect(outcome).toBe('gone');
    expect(calls.map((call) => idsIn(call).length)).toEqual([25, 1]);
  },
);

test('a request that fails is an error: the stream delivers the records again', async () => {
  const { outcome } = await forgetting(() => ({ __type: 'ResourceNotFoundException' }), ids);
  expect(outcome).toMatchObject({
    error: {
      code: 'aws-unavailable',
      message: expect.stringContaining('DynamoDB call failed: ResourceNotFoundException'),
    },
  });
});

const line = lineName('a'.repeat(40));
const removed = [{ orderId: orderId('gone'), line }];

test('an order that is still in its line is taken out of it, before its id is free for another', async () => {
  const { calls, url } = await answeringAws(({ operation }) =>
    operation === 'BatchGetItem'
      ? { Responses: { Orders: [{ OrderIDs: { S: 'gone next' } }] }, UnprocessedKeys: {} }
      : { UnprocessedItems: {} },
  );
  await forgetOrders(options(testDynamoClient(url)), removed);
  expect(calls.map(({ operation }) => operation)).toEqual([
    'BatchGetItem',
    'PutItem',
    'BatchWriteItem',
  ]);
  expect(calls[1]).toMatchObject({
    input: { Item: { OrderID: { S: `line#${line}` }, OrderIDs: { S: 'next' } } },
  });
});

test('one that has left its line changes nothing, and a line that changes is tried again', async () => {
  const left = await answeringAws(() => ({ Responses: { Orders: [] }, UnprocessedKeys: {} }));
  await forgetOrders(options(testDynamoClient(left.url)), removed);
  expect(left.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchWriteItem']);
  const changing = await answeringAws(({ operation }) => {
    if (operation === 'BatchGetItem') {
      return { Responses: { Orders: [{ OrderIDs: { S: 'gone' } }] }, UnprocessedKeys: {} };
    }
    return operation === 'DeleteItem'
      ? { __type: 'ConditionalCheckFailedException' }
      : { UnprocessedItems: {} };
  });
  await expect(
    forgetOrders(options(testDynamoClient(changing.url)), removed),
  ).rejects.toMatchObject({ code: 'deletes-throttled' });
});

test('a line that cannot be read is reported and left, because no repetition can help', async () => {
  const { calls, url } = await answeringAws(({ operation }) =>
    operation === 'BatchGetItem'
      ? { Responses: { Orders: [{ OrderIDs: { S: 'no id!' } }] }, UnprocessedKeys: {} }
      : { UnprocessedItems: {} },
  );
  const log = testLog();
  await forgetOrders(options(testDynamoClient(url), log), removed);
  expect(calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchWriteItem']);
  expect(log.lines).toMatchObject([
    { event: 'line-unreadable', fields: { orderId: 'gone', line } },
  ]);
});
