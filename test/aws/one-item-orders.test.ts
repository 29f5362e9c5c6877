/** Small orders, which are one item of DynamoDB, beside orders of the former form, which are two. */
import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Item, toItem } from '#aws/store/attributes.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { recordItem } from '#aws/store/record-item.ts';
import { processIndexes } from '#aws/store/tables.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, lineName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { StateStore } from '#ports/state-store.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { claimed, house, largeOrder, newOrder, next, readOrders } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);
const kept = { shards: 1, sweepPeriodMs: 60_000, keepEndedMs: 60_000 };
const id = orderId('one');

let server: DynamoServer;
let client: DynamoDBClient;
let tables: Awaited<ReturnType<typeof createTables>>;
let store: StateStore;
beforeAll(async () => {
  server = await startDynoxide();
  client = server.client;
});
afterAll(() => server?.close());
beforeEach(async () => {
  tables = await createTables(client);
  const waits = { clock: systemClock, random: systemRandom };
  store = dynamoStore({ client, tables, log: testLog(), ...kept, ...waits });
});

async function stored(table: string): Promise<Item | undefined> {
  const Key = { OrderID: { S: id } };
  return (await client.send(new GetItemCommand({ TableName: table, Key }))).Item;
}

/** As releases before this one created every order. */
async function createdBefore({ order, record }: ReturnType<typeof newOrder>): Promise<void> {
  const { orderId: OrderID, details, digest: Digest, submittedAt: SubmittedAt } = order;
  const former = { OrderID, Details: JSON.stringify(details), Digest, SubmittedAt };
  await client.send(new PutItemCommand({ TableName: tables.orders, Item: toItem(former) }));
  const Item = recordItem(kept, record);
  await client.send(new PutItemCommand({ TableName: tables.processes, Item }));
}

function roles() {
  const requests: unknown[] = [];
  const clock = { now: () => now + 1_000, after: systemClock.after };
  const own = transitions({
    store,
    channels: {
      nudges: { send: async () => {} },
      requests: { send: async (sent) => void requests.push(...sent.map(({ input }) => input)) },
    },
    clock,
    ids: systemIds(clock, 'this-release'),
    random: systemRandom,
    log: testLog(),
    registry: workflowRegistry([house]),
  });
  const apply = async (event: RecordEvent) => {
    const [outcome] = await own.apply([{ orderId: id, event: () => event }]);
    return outcome?.kind;
  };
  return { apply, requests };
}

const claim: RecordEvent = { type: 'claim', by: schedulerId('this-release') };
const done = (step: string): RecordEvent => {
  const of = { step: stepName(step), attempt: 1, agent: agentName('paint') };
  return { type: 'stepSucceeded', ...of, output: { litres: 5 } };
};

test('a small order is one item, and a large one is two', async () => {
  const small = newOrder('one', now);
  await store.create(small.order, small.record);
  expect(await stored(tables.orders)).toBeUndefined();
  expect(await stored(tables.processes)).toMatchObject(
    toItem({ Format: 5, Details: '{"colour":"blue"}', Digest: 'digest-one', FailureCount: 0 }),
  );
  tables = await createTables(client);
  const waits = { clock: systemClock, random: systemRandom };
  store = dynamoStore({ client, tables, log: testLog(), ...kept, ...waits });
  const large = largeOrder('one', now);
  await store.create(large.order, large.record);
  expect(await stored(tables.orders)).toHaveProperty('Details');
  expect(await stored(tables.processes)).not.toHaveProperty('Details');
  expect(await stored(tables.processes)).not.toHaveProperty('Format');
});

test('no index has the details of an order', async () => {
  const { order, record } = newOrder('one', now, 'shop', 'po-7');
  await store.create(order, record);
  const found = await Promise.all(
    processIndexes.slice(0, 2).map(({ name, partition }) =>
      client.send(
        new QueryCommand({
          TableName: tables.processes,
          IndexName: name,
          KeyConditionExpression: `${partition.name} = :zero`,
          ExpressionAttributeValues: { ':zero': { N: '0' } },
        }),
      ),
    ),
  );
  for (const { Items = [] } of found) {
    expect(Items).toHaveLength(1);
    expect(JSON.stringify(Items)).not.toMatch(/Details|blue/);
  }
});

test.each([
  ['in the former form', createdBefore],
  [
    'in one item',
    async ({ order, record }: ReturnType<typeof newOrder>) => {
      await store.create(order, record);
    },
  ],
])('an order %s is processed to its end, and its steps get its details', async (_, create) => {
  const made = newOrder('one', now);
  await create(made);
  const { apply, requests } = roles();
  for (const event of [claim, done('east'), done('west'), done('roof')]) {
    expect(await apply(event)).toBe('committed');
  }
  expect(requests).toEqual([made.order.details, made.order.details, made.order.details]);
  expect((await store.records([id])).get(id)?.processState).toBe('Processed');
  expect(await readOrders(store, [id])).toEqual(new Map([[id, made.order]]));
});

test('the id of an order in the former form is in use (R2)', async () => {
  await createdBefore(newOrder('one', now));
  const { order, record } = newOrder('one', now + 5);
  expect(
    await store.create({ ...order, digest: 'other' }, { ...record, writeId: writeId('other') }),
  ).toBe('exists');
  expect((await readOrders(store, [id])).get(id)?.digest).toBe('digest-one');
});

test('an order with a singleton key is two items, because the notifier frees its id', async () => {
  const { order, record } = newOrder('one', now);
  const name = lineName('a'.repeat(40));
  await store.create(order, { ...record, turn: { line: name } }, { name, before: [], after: [id] });
  expect(await stored(tables.orders)).toHaveProperty('Details');
  expect(await stored(tables.processes)).not.toHaveProperty('Details');
});

test('a write of a record without its document is a conflict where another write came first', async () => {
  const { order, record } = newOrder('one', now);
  await store.create(order, record);
  const first = claimed(record, now, 'first', 'first');
  expect(await store.commit(first)).toBe('committed');
  expect(await store.commit(claimed(record, now, 'late', 'late'))).toBe('conflict');
  const cancelled = next(first, { type: 'cancel', by: 'olga' }, now + 1);
  expect(await store.commit(cancelled)).toBe('committed');
  expect((await readOrders(store, [id])).get(id)).toEqual(order);
});
