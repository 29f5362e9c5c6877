/** Deletion of expired orders: the requests to DynamoDB, and what is stored after them. */
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { dynamoLines } from '#aws/store/dynamo-lines.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { forgetOrders } from '#aws/store/forget-orders.ts';
import { lineName, orderId } from '#core/model/ids.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { type AwsCall, answeringAws } from '../support/answering-aws.ts';
import { createTables, startDynoxide, testDynamoClient } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { largeOrder } from '../support/orders.ts';

const submittedAt = Date.UTC(2026, 0, 1);
const deletion = z.object({
  TableName: z.literal('Orders'),
  Key: z.strictObject({ OrderID: z.strictObject({ S: z.string() }) }),
  ConditionExpression: z.literal('SubmittedAt = :submitted'),
  ExpressionAttributeValues: z.strictObject({
    ':submitted': z.strictObject({ N: z.literal(String(submittedAt)) }),
  }),
});
const idIn = ({ input }: AwsCall) => deletion.parse(input).Key.OrderID.S;

const options = (client: DynamoDBClient, { log = testLog(), table = 'Orders' } = {}) => ({
  client,
  table,
  log,
  lines: dynamoLines({ client, table, clock: systemClock, random: systemRandom }),
});

async function forgetting(answer: (call: AwsCall) => object, ids: readonly string[]) {
  const { calls, url } = await answeringAws(answer);
  const removed = ids.map((id) => ({ orderId: orderId(id), submittedAt, line: null }));
  const outcome = await forgetOrders(options(testDynamoClient(url)), removed).then(
    () => 'gone' as const,
    (error: unknown) => ({ error }),
  );
  return { calls, outcome };
}

test('each order is deleted once, by one write, if it is that of the removed record', async () => {
  const { calls, url } = await answeringAws(() => ({}));
  const client = testDynamoClient(url);
  const id = fc.integer({ min: 1, max: 60 }).map((number) => orderId(`order-${number}`));
  await fc.assert(
    fc.asyncProperty(fc.array(id, { maxLength: 120, size: 'max' }), async (ids) => {
      const before = calls.length;
      const removed = ids.map((id) => ({ orderId: id, submittedAt, line: null }));
      await forgetOrders(options(client), removed);
      const own = calls.slice(before);
      expect(own.map(idIn).toSorted()).toEqual([...new Set<string>(ids)].toSorted());
      expect(own.every(({ operation }) => operation === 'DeleteItem')).toBe(true);
    }),
    { numRuns: 15, examples: [[[]]] },
  );
});

const ids = Array.from({ length: 26 }, (_, at) => `order-${at}`);
const notOwn = { __type: 'ConditionalCheckFailedException' };

test('an order that is deleted already, or has another order after it, is no error', async () => {
  const { calls, outcome } = await forgetting(() => notOwn, ids);
  expect(outcome).toBe('gone');
  expect(calls).toHaveLength(26);
});

test('a request that fails is an error, and no further ones are sent: the stream delivers the records again', async () => {
  const { calls, outcome } = await forgetting(
    (call) => (idIn(call) === 'order-3' ? { __type: 'ResourceNotFoundException' } : {}),
    ids,
  );
  expect(outcome).toMatchObject({
    error: {
      code: 'aws-unavailable',
      message: expect.stringContaining('DynamoDB call failed: ResourceNotFoundException'),
    },
  });
  expect(calls).toHaveLength(25);
});

test('what has the id of a damaged record is deleted', async () => {
  const { calls, url } = await answeringAws(() => ({}));
  const damaged = { orderId: orderId('gone'), submittedAt: null, line: null };
  await forgetOrders(options(testDynamoClient(url)), [damaged]);
  const Key = { OrderID: { S: 'gone' } };
  expect(calls).toEqual([{ operation: 'DeleteItem', input: { TableName: 'Orders', Key } }]);
});

/** An order with details of its own, in a line if it has one. */
async function stored() {
  const server = await startDynoxide();
  onTestFinished(() => server.close());
  const { client } = server;
  const tables = await createTables(client);
  const store = dynamoStore({
    ...{ client, tables, shards: 1, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 },
    ...{ log: testLog(), clock: systemClock, random: systemRandom },
  });
  const { order, record } = largeOrder('again', submittedAt);
  const { orderId: id } = order;
  return {
    store,
    id,
    isStored: async () => {
      const Key = { OrderID: { S: id } };
      const read = new GetItemCommand({ TableName: tables.orders, Key, ConsistentRead: true });
      return (await client.send(read)).Item !== undefined;
    },
    create: () => store.create(order, record),
    createInLine: () =>
      store.create(
        order,
        { ...record, turn: { line } },
        { name: line, before: [], after: [order.orderId] },
      ),
    /** The stream reports that a record with the id, which was submitted then, has been removed. */
    forget: (at: number, of: typeof line | null = null) =>
      forgetOrders(options(client, { table: tables.orders }), [
        { orderId: id, submittedAt: at, line: of },
      ]),
  };
}

test('the removal of an order does not delete the details of a later one with its id (R1)', async () => {
  const { create, forget, isStored } = await stored();
  await create();
  await forget(submittedAt - 86_400_000);
  expect(await isStored()).toBe(true);
  await forget(submittedAt);
  expect(await isStored()).toBe(false);
});

test('the removal of an order does not take a later one with its id out of the line (R29)', async () => {
  const { store, id, createInLine, forget, isStored } = await stored();
  await createInLine();
  await forget(submittedAt - 86_400_000, line);
  expect(await store.line(line)).toEqual([id]);
  expect(await isStored()).toBe(true);
  await forget(submittedAt, line);
  expect(await store.line(line)).toEqual([]);
  expect(await isStored()).toBe(false);
});

const line = lineName('a'.repeat(40));
const removed = [{ orderId: orderId('gone'), submittedAt, line }];

test('an order that is still in its line is taken out of it, before its id is free for another', async () => {
  const { calls, url } = await answeringAws(({ operation }) =>
    operation === 'BatchGetItem'
      ? { Responses: { Orders: [{ OrderIDs: { S: 'gone next' } }] }, UnprocessedKeys: {} }
      : {},
  );
  await forgetOrders(options(testDynamoClient(url)), removed);
  expect(calls.map(({ operation }) => operation)).toEqual([
    'BatchGetItem',
    'TransactWriteItems',
    'DeleteItem',
  ]);
  expect(calls[1]).toMatchObject({
    input: {
      TransactItems: [
        { Put: { Item: { OrderID: { S: `line#${line}` }, OrderIDs: { S: 'next' } } } },
        { ConditionCheck: { Key: { OrderID: { S: 'gone' } } } },
      ],
    },
  });
});

test('one that has left its line changes nothing', async () => {
  const left = await answeringAws(() => ({ Responses: { Orders: [] }, UnprocessedKeys: {} }));
  await forgetOrders(options(testDynamoClient(left.url)), removed);
  expect(left.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'DeleteItem']);
});

test.each(['ConditionalCheckFailed', 'ThrottlingError'])(
  'a line that cannot be changed now is tried again, and the error says why: %s',
  async (Code) => {
    const changing = await answeringAws(({ operation }) => {
      if (operation === 'BatchGetItem') {
        return { Responses: { Orders: [{ OrderIDs: { S: 'gone' } }] }, UnprocessedKeys: {} };
      }
      return operation === 'TransactWriteItems'
        ? {
            __type: 'TransactionCanceledException',
            CancellationReasons: [{ Code }, { Code: 'None' }],
          }
        : {};
    });
    await expect(
      forgetOrders(options(testDynamoClient(changing.url)), removed),
    ).rejects.toMatchObject({
      code: 'deletes-throttled',
      message: `Order gone was not taken out of its line: TransactionCanceledException (${Code}, HTTP 400). It is tried again.`,
    });
  },
);

test('a line that cannot be read is reported and left, because no repetition can help', async () => {
  const { calls, url } = await answeringAws(({ operation }) =>
    operation === 'BatchGetItem'
      ? { Responses: { Orders: [{ OrderIDs: { S: 'no id!' } }] }, UnprocessedKeys: {} }
      : {},
  );
  const log = testLog();
  await forgetOrders(options(testDynamoClient(url), { log }), removed);
  expect(calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'DeleteItem']);
  expect(log.lines).toMatchObject([
    { event: 'line-unreadable', fields: { orderId: 'gone', line } },
  ]);
});
