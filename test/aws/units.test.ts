/** The cost of writes: each transition of a three-step order is one write unit, including failures. */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { forgetOrders } from '#aws/store/forget-orders.ts';
import { dueAt } from '#core/decide/due.ts';
import { lineName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { constants } from '../../bench/model/constants.ts';
import {
  createTables,
  type DynamoServer,
  startDynoxide,
  testDynamoClient,
} from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { claimed, largeOrder, newOrder, next, succeeded } from '../support/orders.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server.close());

const capacity = z.object({
  Table: z.object({ CapacityUnits: z.number() }).optional(),
  CapacityUnits: z.number(),
  GlobalSecondaryIndexes: z.record(z.string(), z.object({ CapacityUnits: z.number() })).default({}),
});
const consumed = z.object({
  output: z.object({ ConsumedCapacity: z.union([capacity, z.array(capacity)]).optional() }),
});

interface Call {
  readonly isRead: boolean;
  readonly table: number;
  readonly all: number;
  readonly indexes: Readonly<Record<string, number>>;
}

/** Units of the tables themselves, and with their indexes, call by call. */
function metered(client: DynamoDBClient) {
  const calls: Call[] = [];
  client.middlewareStack.add(
    (handle, { commandName = '' }) =>
      async (call) => {
        Object.assign(call.input, { ReturnConsumedCapacity: 'INDEXES' });
        const answer = await handle(call);
        const { ConsumedCapacity = [] } = consumed.parse(answer).output;
        const each = [ConsumedCapacity].flat();
        calls.push({
          isRead: commandName.startsWith('BatchGet'),
          table: each.reduce((sum, { Table }) => sum + (Table?.CapacityUnits ?? 0), 0),
          all: each.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0),
          indexes: Object.fromEntries(
            each.flatMap(({ GlobalSecondaryIndexes }) =>
              Object.entries(GlobalSecondaryIndexes).map(([name, one]) => [
                name,
                one.CapacityUnits,
              ]),
            ),
          ),
        });
        return answer;
      },
    { step: 'initialize' },
  );
  return calls;
}

async function meteredStore() {
  const client = testDynamoClient(server.url);
  const calls = metered(client);
  const tables = await createTables(server.client);
  const store = dynamoStore({
    log: testLog(),
    client,
    tables,
    shards: 2,
    sweepPeriodMs: 60_000,
    clock: systemClock,
    random: systemRandom,
    keepEndedMs: 3_600_000,
  });
  return { store, calls };
}

const writes = (calls: readonly Call[]) => calls.filter(({ isRead }) => !isRead);

/** The record as roles have it: read, with the document of its order where the store keeps it with the record. */
async function created(
  store: StateStore,
  { order, record }: ReturnType<typeof newOrder>,
): Promise<ProcessRecord> {
  await store.create(order, record);
  return (await store.records([order.orderId])).get(order.orderId) ?? record;
}

const start = Date.UTC(2026, 0, 1, 12, 0, 1);

test.each([
  ['whose details are small costs eight write units in its life', newOrder, [3, 1, 1, 1, 2]],
  [
    'whose details are an item of their own costs three more, and one for their deletion',
    largeOrder,
    [6, 1, 1, 1, 2],
  ],
])('an order that goes well and %s', async (_, made, expected) => {
  const { store, calls } = await meteredStore();
  const record = await created(store, made('01m7xvhwqb1k6fxrrfnk71k46h', start));
  let current: ProcessRecord = claimed(record, start + 50, 'k3v9x2m8q1wz');
  await store.commit(current);
  for (const step of ['east', 'west', 'roof']) {
    current = succeeded(current, step, start + 300);
    await store.commit(current);
  }
  expect(current.processState).toBe('Processed');
  expect(writes(calls).map(({ all }) => all)).toEqual(expected);
});

test('the deletion of details costs one write unit for each order', async () => {
  const client = testDynamoClient(server.url);
  const calls = metered(client);
  const { orders: table } = await createTables(server.client);
  const { order } = largeOrder('01m7xvhwqb1k6fxrrfnk71k46h', start);
  const { orderId, submittedAt } = order;
  const Item = { OrderID: { S: orderId }, SubmittedAt: { N: String(submittedAt) } };
  await server.client.send(new PutItemCommand({ TableName: table, Item }));
  const lines = { line: async () => [] };
  await forgetOrders({ client, table, lines, log: testLog() }, [
    { orderId, submittedAt, line: null },
  ]);
  expect(writes(calls).map(({ all }) => all)).toEqual([1]);
});

test('a record that was not read keeps the details of its order, for one write unit more', async () => {
  const { store, calls } = await meteredStore();
  const { order, record } = newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start);
  await store.create(order, record);
  expect(await store.commit(claimed(record, start + 50))).toBe('committed');
  const read = await store.records([order.orderId]);
  expect(read.get(order.orderId)?.document?.details).toEqual(order.details);
  expect(writes(calls).map(({ all }) => all)).toEqual([3, 1]);
});

test('a correlation id costs one write unit more, once', async () => {
  const { store, calls } = await meteredStore();
  const made = newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start, null, 'cart-4711');
  const record = await created(store, made);
  await store.commit(claimed(record, start + 50, 'k3v9x2m8q1wz'));
  expect(writes(calls).map(({ all }) => all)).toEqual([4, 1]);
});

test('the line of a singleton key costs three write units and two read units for an order that waits for no other', async () => {
  const { store, calls } = await meteredStore();
  const { order, record } = newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start);
  const name = lineName('a'.repeat(40));
  const line = { name, before: await store.line(name), after: [order.orderId] };
  await store.create(order, { ...record, turn: { line: name } }, line);
  await store.commit(claimed({ ...record, turn: { line: name } }, start + 50, 'k3v9x2m8q1wz'));
  await store.changeLine({ name, before: await store.line(name), after: [] });
  expect(calls.map(({ all }) => all)).toEqual([1, 8, 1, 1, 1]);
});

test('an order that is replaced costs two write units with the next submission, which reads it', async () => {
  const { store, calls } = await meteredStore();
  const name = lineName('a'.repeat(40));
  const turn = { line: name, since: start };
  const one = newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start);
  const two = newOrder('01m7xvhwqb1k6fxrrfnk71k46j', start + 1_000);
  const { orderId } = one.order;
  const first = { name, before: await store.line(name), after: [orderId] };
  await store.create(one.order, { ...one.record, turn }, first);
  const line = { name, before: await store.line(name), after: [two.order.orderId] };
  const read = (await store.records([orderId])).get(orderId) ?? one.record;
  const cancel = { type: 'cancel', by: `order ${two.order.orderId}` } as const;
  const replaced = next(read, cancel, start + 1_000);
  await store.create(two.order, { ...two.record, turn }, { ...line, replaced });
  expect(calls.map(({ all }) => all)).toEqual([1, 8, 1, 1, 10]);
});

test('a record that times out again and again stays within one write unit', async () => {
  const { store, calls } = await meteredStore();
  // With small details it would be one item, whose writes then cost two units each.
  const record = await created(store, largeOrder('01m7xvhwqb1k6fxrrfnk71k46h', start));
  let current: ProcessRecord = record;
  let at = start;
  // Two rounds of two attempts with a cool-down between them, until the steps are exhausted.
  while (current.processState === 'Pending' || current.processState === 'Processing') {
    const due: number = dueAt(current) ?? at;
    at = current.processState === 'Pending' ? Math.max(at, current.notBefore) : due + 1;
    current =
      current.processState === 'Pending'
        ? claimed(current, at, 'k3v9x2m8q1wz')
        : next(current, { type: 'expired' }, at);
    await store.commit(current);
    if (current.direction === 'undo') break;
  }
  expect(current.failureCount).toBeGreaterThan(4);
  const [, ...commits] = writes(calls);
  expect(new Set(commits.map(({ table }) => table))).toEqual(new Set([1]));
});

test('the longest names of principals leave a record of three steps within one write unit', async () => {
  const { store, calls } = await meteredStore();
  const by = 'x'.repeat(limits.principalLengthMax);
  const { order, record } = newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start);
  const history = [{ type: 'submit', at: start, by } as const];
  const named = await created(store, { order, record: { ...record, history } });
  let current: ProcessRecord = claimed(named, start + 50, 'k3v9x2m8q1wz');
  await store.commit(current);
  current = succeeded(current, 'east', start + 300);
  await store.commit(current);
  current = next(current, { type: 'cancel', by }, start + 400);
  await store.commit(current);
  expect(writes(calls).map(({ table }) => table)).toEqual([1, 1, 1, 1]);
});

test('a recovery costs two write units in the index Due, and an order that stops in Error one there and one in Attention', async () => {
  const { store, calls } = await meteredStore();
  const record = await created(store, newOrder('01m7xvhwqb1k6fxrrfnk71k46h', start));
  let current: ProcessRecord = claimed(record, start + 50, 'k3v9x2m8q1wz');
  await store.commit(current);
  current = next(current, { type: 'expired' }, (dueAt(current) ?? start) + 90_000);
  await store.commit(current);
  while (current.processState === 'Pending' || current.processState === 'Processing') {
    const isPending = current.processState === 'Pending';
    const at = Math.max(dueAt(current) ?? start, current.updatedAt) + 1;
    current = isPending ? claimed(current, at) : next(current, { type: 'expired' }, at);
    await store.commit(current);
  }
  expect(writes(calls)[2]?.indexes).toEqual({ Due: constants.dueUnitsPerRecovery.value });
  expect(current.processState).toBe('Error');
  expect(calls.at(-1)?.indexes).toEqual({ Due: 1, Attention: 1 });
});
