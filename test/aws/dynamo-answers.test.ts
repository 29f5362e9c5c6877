/** The store's requests to DynamoDB, and the meaning of answers that emulators do not give. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import { dueAt } from '#core/decide/due.ts';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { orderId, writeId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { AwsCall } from '../support/answering-aws.ts';
import { type AnsweringDynamo, answeringDynamo, shards } from '../support/answering-dynamo.ts';
import { claimed, largeOrder, newOrder } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);

const { order, record: pending } = newOrder('one', now);
const running = claimed(pending, now);
/** Two items. */
const large = largeOrder('one', now);
const stored = (record: ProcessRecord) => toItem({ ...encodeRecord(record), DueShard: 0 });
const due = { shard: 1, from: 5, to: 9, limit: 7, cursor: null };
const all = { processState: null, limit: 3, cursor: null } as const;
const lease = { holder: 'me', nowMs: now, leaseMs: 1_000 };
const mark = { sweptAt: now, nowMs: now, reachedAt: null, shardCounts: [shards], complete: true };

const operations: [string, (on: AnsweringDynamo) => Promise<unknown>][] = [
  ['records', ({ store }) => store.records([order.orderId])],
  ['orders', ({ store }) => store.orders([order.orderId])],
  ['due', ({ store }) => store.due(due)],
  ['list', ({ store }) => store.list(all)],
  ['create', ({ store }) => store.create(order, pending)],
  ['commit', ({ store }) => store.commit(running)],
  ['recall', ({ coordination }) => coordination.recall(shards)],
  ['acquire', ({ coordination }) => coordination.acquire(0, lease, noMemory)],
  ['keep', ({ coordination }) => coordination.keep(0, 'me', noMemory)],
  ['release', ({ coordination }) => coordination.release(0, 'me', noMemory)],
  ['finish', ({ coordination }) => coordination.finish(0, 'me', now)],
  ['remember', ({ coordination }) => coordination.remember(mark)],
];

test.each(operations)('%s that fails is an error that may be retried', async (_, call) => {
  const on = await answeringDynamo(() => ({
    __type: 'ResourceNotFoundException',
    message: 'no table',
  }));
  await expect(call(on)).rejects.toMatchObject({
    code: 'aws-unavailable',
    message: expect.stringContaining('DynamoDB call failed: ResourceNotFoundException'),
    cause: expect.objectContaining({ message: 'no table' }),
  });
  // Only a conflicting transaction causes a wait.
  expect(on.waited).toEqual([]);
});

const batchSchema = z.object({
  RequestItems: z.object({
    Processes: z.object({
      Keys: z.array(z.strictObject({ OrderID: z.strictObject({ S: z.string() }) })),
      ConsistentRead: z.literal(true),
    }),
  }),
});
const keysIn = ({ input }: AwsCall) =>
  batchSchema.parse(input).RequestItems.Processes.Keys.map(({ OrderID }) => OrderID.S);

test('each record is requested once, in as few requests as DynamoDB allows', async () => {
  const id = fc.integer({ min: 1, max: 250 }).map((number) => orderId(`order-${number}`));
  const { calls, store } = await answeringDynamo(() => ({ Responses: {} }));
  await fc.assert(
    fc.asyncProperty(fc.array(id, { maxLength: 500, size: 'max' }), async (ids) => {
      const before = calls.length;
      await store.records(ids);
      const own = calls.slice(before);
      const unique = [...new Set(ids)];
      expect(own.flatMap(keysIn).toSorted()).toEqual(unique.toSorted());
      expect(own).toHaveLength(Math.ceil(unique.length / 100));
    }),
    { numRuns: 10, examples: [[[]]] },
  );
});

test('keys that are left unread are requested after growing waits, and finally an error', async () => {
  const { store, waited } = await answeringDynamo(({ input }) => ({
    UnprocessedKeys: batchSchema.parse(input).RequestItems,
  }));
  await expect(store.records(['a', 'b'].map(orderId))).rejects.toMatchObject({
    code: 'reads-throttled',
    message: 'DynamoDB left 2 keys of Processes unread. They are read again later.',
  });
  expect(waited).toEqual([50, 100, 200, 400, 800]);
});

const other = toItem({ WriteID: 'other' });
const cancelled = (...CancellationReasons: object[]) => ({
  __type: 'TransactionCanceledException',
  CancellationReasons,
});
const failed = (Item?: object) => ({ Code: 'ConditionalCheckFailed', ...(Item && { Item }) });
const none = { Code: 'None' };

test.each<[string, object, string]>([
  ['both are new', {}, 'created'],
  ['its answer was lost', cancelled(failed(), failed(stored(pending))), 'created'],
  ['another one has the id', cancelled(failed(), failed(other)), 'exists'],
  ['only a record is left of it', cancelled(none, failed(other)), 'exists'],
])('a creation of two items where %s: %j', async (_, answer, outcome) => {
  const { store } = await answeringDynamo(() => answer);
  expect(await store.create(large.order, large.record)).toBe(outcome);
});

test.each(['TransactionConflict', 'ThrottlingError'])(
  'a repeated creation is not taken for one of an order that has expired where its record has a %s',
  async (Code) => {
    const answers = [cancelled(failed(other), { Code }), cancelled(failed(other), failed(other))];
    const { store } = await answeringDynamo(() => answers.shift() ?? {});
    const create = () => store.create(large.order, large.record);
    const outcome = await create().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'aws-unavailable' });
      return create();
    });
    expect(outcome).toBe('exists');
  },
);

test.each<[string, object, string]>([
  ['an item that is too large', cancelled(none, { Code: 'ValidationError' }), 'aws-refused'],
  ['a throttled transaction', cancelled({ Code: 'ThrottlingError' }, none), 'aws-unavailable'],
  ['a transaction cancelled for no reason', cancelled(), 'aws-unavailable'],
  ['the details of an order that has expired', cancelled(failed(other), none), 'order-expiring'],
  ['no reasons', { __type: 'TransactionCanceledException' }, 'aws-unavailable'],
])('a creation with %s is an error', async (_, answer, code) => {
  const { store, waited } = await answeringDynamo(() => answer);
  await expect(store.create(large.order, large.record)).rejects.toMatchObject({ code });
  expect(waited).toEqual([]);
});

const checkFailed = (Item?: object) => ({
  __type: 'ConditionalCheckFailedException',
  ...(Item && { Item }),
});

test.each<[string, object, string]>([
  ['the order is new', {}, 'created'],
  ['its answer was lost', checkFailed(stored(pending)), 'created'],
  ['another one has the id', checkFailed(other), 'exists'],
])('a creation of one item where %s: %j', async (_, answer, outcome) => {
  const { store } = await answeringDynamo(() => answer);
  expect(await store.create(order, pending)).toBe(outcome);
});

test('a creation of one item puts it where none is, and requests the existing one', async () => {
  const { calls, store } = await answeringDynamo(() => ({}));
  await store.create(order, pending);
  expect(calls).toMatchObject([
    {
      operation: 'PutItem',
      input: {
        TableName: 'Processes',
        Item: toItem({
          OrderID: 'one',
          Revision: 1,
          Format: 5,
          Details: '{"colour":"blue"}',
          Digest: 'digest-one',
          DueShard: 1,
        }),
        ConditionExpression: 'attribute_not_exists(OrderID)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
  ]);
});

test.each<[string, object, string]>([
  ['the revision before is there', {}, 'committed'],
  ['its answer was lost', checkFailed(stored(running)), 'committed'],
  ['another one came first', checkFailed(other), 'conflict'],
  ['there is no order', checkFailed(), 'conflict'],
])('a commit where %s: %j', async (_, answer, outcome) => {
  const { store } = await answeringDynamo(() => answer);
  expect(await store.commit(running)).toBe(outcome);
});

test('a creation of two items puts order and record where neither is, and requests the existing items', async () => {
  const { calls, store } = await answeringDynamo(() => ({}));
  await store.create(large.order, large.record);
  const ifNew = {
    ConditionExpression: 'attribute_not_exists(OrderID)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  expect(calls).toMatchObject([
    {
      operation: 'TransactWriteItems',
      input: {
        TransactItems: [
          {
            Put: {
              TableName: 'Orders',
              Item: toItem({
                OrderID: 'one',
                Details: JSON.stringify(large.order.details),
                Digest: 'digest-one',
                SubmittedAt: now,
              }),
              ...ifNew,
            },
          },
          {
            Put: {
              TableName: 'Processes',
              Item: toItem({ OrderID: 'one', Revision: 1, DueShard: 1 }),
              ...ifNew,
            },
          },
        ],
      },
    },
  ]);
});

const itemSchema = z.object({ Item: z.record(z.string(), z.unknown()) });

test.each<[string, ProcessRecord, object]>([
  ['under way', running, {}],
  [
    'with a name of its submitter',
    { ...running, correlationId: 'po-7' },
    { CorrelationID: 'po-7' },
  ],
  [
    'in Error',
    {
      ...running,
      processState: 'Error',
      lockedBy: null,
      fault: {
        code: 'x',
        message: 'y',
        effect: 'none',
        step: null,
        action: null,
      },
    },
    { Attention: 'Error' },
  ],
])('the record of an order %s is in the indexes that it belongs to', async (_, record, more) => {
  const { calls, store } = await answeringDynamo(() => ({}));
  await store.commit(record);
  const { Item } = itemSchema.parse(calls[0]?.input);
  const at = dueAt(record);
  const DueAt = at === null ? undefined : Math.ceil(at / 60_000) * 60_000;
  const indexed = toItem({ DueAt, ...more });
  const names = ['DueAt', 'CorrelationID', 'Attention', 'ExpiresAt'];
  expect(Object.fromEntries(Object.entries(Item).filter(([name]) => names.includes(name)))).toEqual(
    indexed,
  );
  expect(calls[0]?.input).toMatchObject({
    TableName: 'Processes',
    ConditionExpression: 'Revision = :before AND attribute_not_exists(Details)',
    ExpressionAttributeValues: { ':before': { N: '1' } },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
});

test('a conflict of a record without the document costs no second write', async () => {
  const { details, digest } = order;
  const first = { ...running, writeId: writeId('first'), document: { details, digest } };
  const { calls, store } = await answeringDynamo(() => checkFailed(stored(first)));
  expect(await store.commit(running)).toBe('conflict');
  expect(calls).toHaveLength(1);
});

test('a decision keeps the document of the order, and its item needs no other condition', async () => {
  const { calls, store } = await answeringDynamo(() => ({}));
  const { details, digest } = order;
  const read = { ...pending, document: { details, digest } };
  expect(await store.commit(claimed(read, now))).toBe('committed');
  expect(calls[0]?.input).toMatchObject({
    ConditionExpression: 'Revision = :before',
    Item: toItem({ Revision: 2, Format: 5, Details: '{"colour":"blue"}', Digest: digest }),
  });
});

test('a lease excludes others until its end, and five minutes longer for a wrong clock', async () => {
  const { calls, coordination } = await answeringDynamo(() => ({ Attributes: {} }));
  await coordination.acquire(0, lease, noMemory);
  expect(calls[0]?.input).toMatchObject({
    ExpressionAttributeValues: toItem({
      ':now': now,
      ':until': now + lease.leaseMs,
      ':latest': now + lease.leaseMs + 300_000,
    }),
  });
});

test('of the due orders, only those with an exact key are far', async () => {
  const keys = [1_767_225_600_000, 1_767_225_600_001].map((at) => ({
    DueShard: { N: '1' },
    DueAt: { N: String(at) },
    OrderID: { S: `at-${at}` },
  }));
  const { store } = await answeringDynamo(() => ({ Items: keys }));
  expect((await store.due({ ...due, far: true })).items).toEqual(['at-1767225600001']);
  expect((await store.due(due)).items).toHaveLength(2);
});

test('due orders are read from one shard, within the limit, and a cursor continues the read', async () => {
  const key = { DueShard: { N: '1' }, DueAt: { N: '6' }, OrderID: { S: 'one' } };
  const { calls, store } = await answeringDynamo((_, number) =>
    number === 1 ? { Items: [key], LastEvaluatedKey: key } : { Items: [] },
  );
  const { items, cursor } = await store.due(due);
  expect(items).toEqual(['one']);
  expect(await store.due({ ...due, cursor })).toEqual({ items: [], cursor: null });
  const asked = {
    TableName: 'Processes',
    IndexName: 'Due',
    KeyConditionExpression: 'DueShard = :shard AND DueAt BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':shard': { N: '1' }, ':from': { N: '5' }, ':to': { N: '9' } },
    Limit: 7,
  };
  expect(calls.map(({ input }) => input)).toEqual([asked, { ...asked, ExclusiveStartKey: key }]);
});
