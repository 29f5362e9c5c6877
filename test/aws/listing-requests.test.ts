/** Requests of a listing to DynamoDB, per shard. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { toItem } from '#aws/store/attributes.ts';
import { listCursor } from '#aws/store/cursors.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
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
const number = z.object({ N: z.string() });
const pagedSchema = z.object({
  Limit: z.int(),
  ExpressionAttributeValues: z.object({ ':partition': number, ':sort': number.optional() }),
});
const startSchema = z.object({ OrderID: z.object({ S: z.string() }) }).optional();
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
      KeyConditionExpression: '#partition = :partition AND #sort = :sort',
      ExpressionAttributeNames: { '#partition': 'DueShard', '#sort': 'CorrelationID' },
    },
  ],
])('a listing of %s queries all shards, newest first', async (_, more, expected) => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  expect(await store.list({ ...all, ...more })).toEqual({ items: [], cursor: null });
  const only = 'correlationId' in more ? { ':sort': { S: 'po-7' } } : {};
  expect(asked(calls)).toHaveLength(shards);
  for (const [shard, input] of asked(calls).entries()) {
    expect(input).toEqual({
      TableName: 'Processes',
      KeyConditionExpression: '#partition = :partition',
      ...expected,
      ExpressionAttributeValues: { ':partition': { N: String(shard) }, ...only },
      ScanIndexForward: false,
      // Those of one correlation id are read whole, because they have one key.
      ...(!('correlationId' in more) && { Limit: 40 }),
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
  // An order in each millisecond, without an end.
  const { calls, store } = await answeringDynamo((call) => {
    if (call.operation !== 'Query') return read(call);
    const { Limit, ExpressionAttributeValues: values } = pagedSchema.parse(call.input);
    const latest = Number(values[':sort']?.N ?? now);
    const Items = Array.from({ length: Limit }, (_, at) => ({
      ...entry(`o-${latest - at}-${values[':partition'].N}`),
      SubmittedAt: { N: String(latest - at) },
    }));
    return { Items, LastEvaluatedKey: Items.at(-1) };
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

test('a listing continues from its cursor in every shard', async () => {
  const { calls, store } = await answeringDynamo(() => ({ Items: [] }));
  await store.list({ ...all, cursor: listCursor.encode({ at: now, from: '' }) });
  expect(asked(calls)).toHaveLength(shards);
  for (const input of asked(calls)) {
    expect(input).toMatchObject({
      KeyConditionExpression: '#partition = :partition AND #sort <= :sort',
      ExpressionAttributeNames: { '#partition': 'DueShard', '#sort': 'SubmittedAt' },
      ExpressionAttributeValues: { ':sort': { N: String(now) } },
    });
  }
});

test('all orders of one millisecond are read before some of them are returned', async () => {
  const ids = Array.from({ length: 9 }, (_, at) => `o${at}`);
  const pages = [ids.slice(0, 4), ids.slice(4, 7), ids.slice(7)];
  const { calls, store } = await answeringDynamo((call) => {
    if (call.operation !== 'Query') return read(call);
    const { ExclusiveStartKey: from, ...query } = querySchema.parse(call.input);
    if (JSON.stringify(query).includes('{"N":"1"}')) return { Items: [] };
    const at = pages.findIndex((page) => page.at(-1) === startSchema.parse(from)?.OrderID.S) + 1;
    const page = pages[at]?.map(entry) ?? [];
    return { Items: page, ...(at < 2 && { LastEvaluatedKey: page.at(-1) }) };
  });
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.list>> = await store.list({ ...all, cursor });
    found.push(...page.items.map(({ orderId: id }) => id));
    cursor = page.cursor;
  } while (cursor !== null);
  expect(found.toSorted()).toEqual(ids);
  expect(asked(calls)).toHaveLength(3 * (3 + 1));
});
