/** Requests to DynamoDB, and the handling of answers that emulators cannot give. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { toItem } from '#aws/store/attributes.ts';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { noMemory } from '#core/decide/sweep-gaps.ts';
import { orderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { answeringServer } from '../support/answering-server.ts';
import { testDynamoClient } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { claimed, largeOrder, newOrder, next, succeeded } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);
const keepEndedMs = 3_600_000;
const tables = { orders: 'Orders', processes: 'Processes' };
/** Waits end at once. */
const waits = {
  clock: {
    now: () => now,
    after(_ms: number, work: () => void) {
      setImmediate(work);
      return () => {};
    },
  },
  random: { next: () => 0 },
};

const item = z.record(z.string(), z.record(z.string(), z.unknown()));
const keysAndAttributes = z.object({ Keys: z.array(item), ConsistentRead: z.boolean() });
const requestSchema = z.object({
  Item: item.optional(),
  RequestItems: z.record(z.string(), keysAndAttributes).optional(),
});
type Request = z.infer<typeof requestSchema>;

/** A DynamoDB that answers the requests in turn, the last answer to all further ones. */
async function answering(...answers: ((request: Request) => object)[]) {
  const requests: Request[] = [];
  const { url } = await answeringServer((response, { body }) => {
    const request = requestSchema.parse(JSON.parse(body));
    requests.push(request);
    const answer = answers[Math.min(requests.length, answers.length) - 1]?.(request) ?? {};
    response
      .writeHead('__type' in answer ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(answer));
  });
  const client = testDynamoClient(url);
  const kept = { shards: 4, sweepPeriodMs: 60_000, keepEndedMs };
  const store = dynamoStore({ client, tables, log: testLog(), ...kept, ...waits });
  return { requests, store, coordination: dynamoCoordination(client, 'Coordination', waits) };
}

const nothing = () => ({});
const keysOf = (table: string, { RequestItems }: Request) => RequestItems?.[table]?.Keys ?? [];
/** Finds the items of these keys, and leaves all others unread. */
const reads = (table: string, count: number) => (request: Request) => {
  const keys = keysOf(table, request);
  const left = keys.slice(count);
  return {
    Responses: { [table]: keys.slice(0, count) },
    UnprocessedKeys: left.length === 0 ? {} : { [table]: { Keys: left, ConsistentRead: true } },
  };
};

const { order, record: pending } = newOrder('one', now);
const running = claimed(pending, now);
const processed = ['east', 'west', 'roof'].reduce<ProcessRecord>(
  (record, step) => succeeded(record, step, now + 1),
  running,
);
const undoing = next(running, { type: 'cancel', by: 'test' }, now + 1);
const inError: ProcessRecord = {
  ...undoing,
  processState: 'Error',
  lockedBy: null,
  fault: { code: 'x', message: 'y', effect: 'none', step: null, action: null },
};
const undone: ProcessRecord = {
  ...undoing,
  processState: 'Undone',
  lockedBy: null,
  completeBy: null,
  fault: null,
};

test.each<[string, ProcessRecord, boolean]>([
  ['under way', running, false],
  ['in Error', inError, false],
  ['Processed', processed, true],
  ['Undone', undone, true],
])('of an order that is %s, the record expires only when it has ended', async (_, record, ends) => {
  const { requests, store } = await answering(nothing);
  await store.commit(record);
  const expiresAt = Math.ceil((record.updatedAt + keepEndedMs) / 1_000);
  expect(requests[0]?.Item?.['ExpiresAt']).toEqual(ends ? { N: String(expiresAt) } : undefined);
});

test('records are read consistently, or eventually where that is asked for', async () => {
  const { requests, store } = await answering(() => ({ Responses: {} }));
  await store.records([pending.orderId]);
  await store.eventualRecords?.([pending.orderId]);
  expect(requests.map(({ RequestItems }) => RequestItems?.['Processes']?.ConsistentRead)).toEqual([
    true,
    false,
  ]);
});

test('an order that an eventually consistent read does not find is read consistently', async () => {
  const { requests, store } = await answering(() => ({ Responses: {} }));
  await store.orders([order.orderId]);
  expect(requests.map(({ RequestItems }) => RequestItems?.['Orders']?.ConsistentRead)).toEqual([
    false,
    true,
  ]);
});

test('only the orders that were not found are read again', async () => {
  const found = toItem({ OrderID: 'one', Details: '{}', Digest: 'd', SubmittedAt: now });
  const { requests, store } = await answering(
    () => ({ Responses: { Orders: [found] } }),
    () => ({ Responses: {} }),
  );
  const ids = ['one', 'two'].map(orderId);
  expect([...(await store.orders(ids)).keys()]).toEqual(['one']);
  expect(requests.map((request) => keysOf('Orders', request))).toMatchObject([
    [{ OrderID: { S: 'one' } }, { OrderID: { S: 'two' } }],
    [{ OrderID: { S: 'two' } }],
  ]);
});

test.each<[string, object, string]>([
  [
    'cannot be read',
    { OrderID: 'one', Details: '{', Digest: 'd', SubmittedAt: now },
    'order-corrupt',
  ],
  ['has a key that is no order id', { OrderID: 'a copy' }, 'item-foreign'],
])('a stored order that %s is an error with a remedy', async (_, attributes, code) => {
  const { store } = await answering(() => ({ Responses: { Orders: [toItem({ ...attributes })] } }));
  await expect(store.orders([order.orderId])).rejects.toMatchObject({
    code,
    message: expect.stringMatching(/emove it by hand\.$/),
    cause: expect.any(Error),
  });
});

const shardNames = ['sweep', 'shard#0', 'shard#1', 'shard#2'];
const namesIn = (request: Request) =>
  keysOf('Coordination', request).map(({ Name }) => Name?.['S']);

test('keys that DynamoDB leaves unread are read again, and what was read is kept', async () => {
  const { requests, coordination } = await answering(reads('Coordination', 1));
  const { unfinished } = await coordination.recall(3);
  expect(requests.map(namesIn)).toEqual([0, 1, 2, 3].map((from) => shardNames.slice(from)));
  expect(requests[0]?.RequestItems?.['Coordination']?.ConsistentRead).toBe(true);
  // An item of an older version has only a lease, so the memory is empty.
  expect([...unfinished]).toEqual([0, 1, 2].map((shard) => [shard, noMemory]));
});

test.each(['no JSON', '{}', '[1]', '[[1]]', '[[1,2,3]]', '[[1,"2"]]', '[[0.5,2]]'])(
  'the memory of a shard with the gaps %j is corrupt, and the error says what to delete',
  async (gaps) => {
    const item = { Name: { S: 'shard#1' }, Gaps: { S: gaps } };
    const { coordination } = await answering(() => ({ Responses: { Coordination: [item] } }));
    await expect(coordination.recall(3)).rejects.toMatchObject({
      code: 'coordination-corrupt',
      message: expect.stringMatching(/Delete the item .* from the Coordination table\.$/),
      cause: expect.any(Error),
    });
  },
);

test('keys of records that DynamoDB leaves unread are read again', async () => {
  const { requests, store } = await answering(
    (request) => ({
      Responses: {},
      UnprocessedKeys: request.RequestItems,
    }),
    () => ({ Responses: {} }),
  );
  await store.records([pending.orderId]);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toEqual(requests[0]);
});

test('keys that DynamoDB keeps leaving unread are an error after six tries', async () => {
  const { requests, coordination } = await answering(reads('Coordination', 0));
  await expect(coordination.recall(3)).rejects.toMatchObject({ code: 'reads-throttled' });
  expect(requests).toHaveLength(6);
});

test('keys that DynamoDB reads at the sixth try are not an error', async () => {
  const unread = Array.from({ length: 5 }, () => reads('Coordination', 0));
  const { requests, coordination } = await answering(...unread, reads('Coordination', 9));
  expect((await coordination.recall(1)).unfinished.size).toBe(1);
  expect(requests).toHaveLength(6);
});

const checkFailed = () => ({
  __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
});

test.each<[string, () => object, number, number]>([
  ['is the latest', nothing, now - 1, 1],
  ['reached every shard, but is not the latest', checkFailed, now, 2],
  ['left out a shard, and is not the latest', checkFailed, now - 1, 2],
])('a tick that %s is remembered with as few requests as it needs', async (...row) => {
  const [, answer, reachedAt, expected] = row;
  const { requests, coordination } = await answering(answer);
  await coordination.remember({
    sweptAt: now,
    nowMs: now,
    reachedAt,
    shardCounts: [3],
    complete: true,
  });
  expect(requests).toHaveLength(expected);
});

const large = largeOrder('two', now);

const conflict = () => ({
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException',
});
const cancelled = () => ({
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
});

test('a commit that meets a transaction is made again', async () => {
  const { requests, store } = await answering(conflict, conflict, nothing);
  expect(await store.commit(running)).toBe('committed');
  expect(requests).toHaveLength(3);
});

test.each([
  ['one item', order, pending, conflict],
  ['two items', large.order, large.record, cancelled],
])('a creation of %s that meets a transaction is made again', async (_, made, record, met) => {
  const { requests, store } = await answering(met, met, nothing);
  expect(await store.create(made, record)).toBe('created');
  expect(requests).toHaveLength(3);
});

test('a conflict that does not end is an error', async () => {
  const { store } = await answering(conflict);
  await expect(store.commit(running)).rejects.toMatchObject({ code: 'aws-unavailable' });
});
