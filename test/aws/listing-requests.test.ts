/** Requests of a listing to DynamoDB, per shard. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { toItem } from '#aws/store/attributes.ts';
import { listCursor, type Place } from '#aws/store/cursors.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { orderId } from '#core/model/ids.ts';
import type { AwsCall } from '../support/answering-aws.ts';
import { answeringDynamo, shards } from '../support/answering-dynamo.ts';
import { newOrder } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);
const all = { processState: null, limit: 3, cursor: null } as const;

const stored = (id: string) => toItem({ ...encodeRecord(newOrder(id, now).record), DueShard: 0 });
const entry = (id: string) => ({
  OrderID: { S: id },
  DueShard: { N: '0' },
  SubmittedAt: { N: String(now) },
});
const querySchema = z.looseObject({
  ExpressionAttributeValues: z.looseObject({ ':partition': z.record(z.string(), z.string()) }),
});
/** The queries, by partition: those of one round are sent at once. */
function asked(calls: readonly AwsCall[]) {
  const partitionOf = (query: z.infer<typeof querySchema>) =>
    JSON.stringify(query.ExpressionAttributeValues[':partition']);
  return calls
    .filter(({ operation }) => operation === 'Query')
    .map(({ input }) => querySchema.parse(input))
    .toSorted((a, b) => partitionOf(a).localeCompare(partitionOf(b)));
}
const keysSchema = z.object({
  RequestItems: z.object({
    Processes: z.object({ Keys: z.array(z.object({ OrderID: z.object({ S: z.string() }) })) }),
  }),
});
const read = ({ input }: AwsCall) => {
  const { Keys } = keysSchema.parse(input).RequestItems.Processes;
  return { Responses: { Processes: Keys.map(({ OrderID }) => stored(OrderID.S)) } };
};

test.each<[string, object, object]>([
  [
    'every order',
    {},
    { IndexName: 'Recent', ExpressionAttributeNames: { '#partition': 'DueShard' } },
  ],
  [
    'orders with one correlation id',
    { correlationId: 'po-7' },
    {
      IndexName: 'Correlation',
      KeyConditionExpression: '#partition = :partition AND #sort = :only',
      ExpressionAttributeNames: { '#partition': 'DueShard', '#sort': 'CorrelationID' },
    },
  ],
])('a listing of %s queries all shards, newest first', async (_, more, expected) => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  expect(await store.list({ ...all, ...more })).toEqual({ items: [], cursor: null });
  const only = 'correlationId' in more ? { ':only': { S: 'po-7' } } : {};
  expect(asked(calls)).toHaveLength(shards);
  for (const [shard, input] of asked(calls).entries()) {
    expect(input).toEqual({
      TableName: 'Processes',
      KeyConditionExpression: '#partition = :partition',
      ...expected,
      ExpressionAttributeValues: { ':partition': { N: String(shard) }, ...only },
      ScanIndexForward: false,
      Limit: 3,
    });
  }
});

test('a listing of orders in Error queries the index of these orders', async () => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  await store.list({ ...all, processState: 'Error' });
  expect(asked(calls)).toMatchObject([
    { IndexName: 'Attention', ExpressionAttributeValues: { ':partition': { S: 'Error' } } },
  ]);
});

test('a listing of a rare state ends after five rounds, with a cursor to continue', async () => {
  let entries = 0;
  const { calls, store } = await answeringDynamo((call) => {
    if (call.operation !== 'Query') return read(call);
    entries += 1;
    return { Items: [entry(`o${entries}`)], LastEvaluatedKey: entry(`o${entries}`) };
  });
  const { items, cursor } = await store.list({ ...all, processState: 'Undone' });
  expect(items).toEqual([]);
  expect(cursor).not.toBeNull();
  expect(asked(calls)).toHaveLength(5 * shards);
});

test('an entry without a valid SubmittedAt is left out, and logged', async () => {
  const { log, store } = await answeringDynamo((call) => {
    if (call.operation !== 'Query') return read(call);
    const entries = [
      { OrderID: { S: 'none' }, DueShard: { N: '0' } },
      { ...entry('negative'), SubmittedAt: { N: '-1' } },
      entry('good'),
    ];
    return { Items: JSON.stringify(call.input).includes('{"N":"0"}') ? entries : [] };
  });
  const { items } = await store.list(all);
  expect(items.map(({ orderId: id }) => id)).toEqual(['good']);
  const fields = {
    from: 'list',
    code: 'item-corrupt',
    reason:
      'A process record has no valid SubmittedAt. Restore it from a backup, or remove it by hand.',
  };
  expect(log.lines).toEqual(
    ['none', 'negative'].map((id) => ({
      event: 'unreadable-order-left-out',
      fields: { ...fields, orderId: id },
    })),
  );
});

test('an order that is deleted while a listing reads it is left out', async () => {
  const { log, store } = await answeringDynamo(({ operation }) =>
    operation === 'Query' ? { Items: [entry('gone')] } : { Responses: {} },
  );
  expect(await store.list(all)).toEqual({ items: [], cursor: null });
  expect(log.lines).toEqual([]);
});

test('a listing continues from its cursor, and reads an added shard from its start', async () => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  const place: Place = [now, orderId('one')];
  await store.list({ ...all, cursor: listCursor.encode([place]) });
  expect(asked(calls)).toMatchObject([{ ExclusiveStartKey: entry('one') }, {}]);
  expect(asked(calls)[1]).not.toHaveProperty('ExclusiveStartKey');
});

test('a listing queries no shard again that it has read completely', async () => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  await store.list({ ...all, cursor: listCursor.encode(['end', 'start']) });
  expect(asked(calls)).toMatchObject([{ ExpressionAttributeValues: { ':partition': { N: '1' } } }]);
});
