/** Items edited by hand in a DynamoDB table: the store returns their content or an error. */
import {
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Item } from '#aws/store/attributes.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { UnreadableDataError } from '#core/model/errors.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { alone, claimed, largeOrder, newOrder } from '../support/orders.ts';
import { spoiledItem } from '../support/spoiled-item.ts';

const now = Date.UTC(2026, 0, 1);
const { order, record } = newOrder('one', now);
/** A record that the tests do not edit. */
const other = newOrder('two', now);
/** An order with an item of its own. */
const large = largeOrder('large', now);
const everything = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER };

const log = testLog();
let server: DynamoServer;
let client: DynamoDBClient;
let tables: Awaited<ReturnType<typeof createTables>>;
let store: StateStore;
beforeAll(async () => {
  server = await startDynoxide();
  client = server.client;
  tables = await createTables(client);
  store = dynamoStore({
    client,
    tables,
    shards: 1,
    sweepPeriodMs: 60_000,
    keepEndedMs: 60_000,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  await store.create(order, record);
  await store.commit(claimed(record, now));
  await store.create(other.order, other.record);
  await store.create(large.order, large.record);
});
afterAll(() => server?.close());

async function stored(table: string, id: string): Promise<Item> {
  const Key = { OrderID: { S: id } };
  const { Item: item = {} } = await client.send(new GetItemCommand({ TableName: table, Key }));
  return item;
}

/** False when the table rejects the item, as with a key of another type. */
async function put(table: string, id: string, item: Item): Promise<boolean> {
  try {
    const Item = { ...item, OrderID: { S: id } };
    await client.send(new PutItemCommand({ TableName: table, Item }));
    return true;
  } catch (error) {
    if (error instanceof DynamoDBServiceException && error.name === 'ValidationException') {
      return false;
    }
    throw error;
  }
}

async function all<Item>(page: (cursor: string | null) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const next: Page<Item> = await page(cursor);
    items.push(...next.items);
    cursor = next.cursor;
  } while (cursor !== null);
  return items;
}

async function judged<Value>(read: Promise<Value>): Promise<Value | undefined> {
  return read.catch((error: unknown) => {
    expect(error).toBeInstanceOf(UnreadableDataError);
    return undefined;
  });
}

test('a record edited by hand is read, listed and found due, or is corrupt', async () => {
  const sound = await stored(tables.processes, 'one');
  expect(sound).toHaveProperty('Details');
  await fc.assert(
    fc.asyncProperty(spoiledItem(sound), async (item) => {
      if (!(await put(tables.processes, 'one', item))) return;
      const found = (await judged(store.records([record.orderId])))?.get(record.orderId);
      if (found !== undefined) expect(found.orderId).toBe('one');
      const listed = await all((cursor) => store.list({ processState: null, limit: 1, cursor }));
      expect(listed.map(alone)).toContainEqual(other.record);
      await all((cursor) => store.list({ processState: 'Error', limit: 1, cursor }));
      const due = await all((cursor) => store.due({ ...everything, limit: 1, cursor }));
      expect(due).toContain('two');
      expect(due.every((id) => ['one', 'two', 'large'].includes(id))).toBe(true);
    }),
  );
});

test('an order edited by hand is read, or is corrupt', async () => {
  const { order } = large;
  const sound = await stored(tables.orders, 'large');
  expect((await store.orders([order.orderId])).get(order.orderId)).toEqual(order);
  await fc.assert(
    fc.asyncProperty(spoiledItem(sound), async (item) => {
      if (!(await put(tables.orders, 'large', item))) return;
      const read = (await judged(store.orders([order.orderId])))?.get(order.orderId);
      if (read === undefined) return;
      expect(JSON.stringify(read.details)).toBe(
        JSON.stringify(JSON.parse(item['Details']?.S ?? '')),
      );
      expect([read.digest, String(read.submittedAt)]).toEqual([
        item['Digest']?.S,
        item['SubmittedAt']?.N,
      ]);
    }),
  );
});

test('foreign items hide no order, even when they fill whole pages of every index', async () => {
  const foreign = Array.from({ length: 7 }, (_, at) => `a copy ${at}`);
  const before = await Promise.all([
    all((cursor) => store.list({ processState: null, limit: 2, cursor })),
    all((cursor) => store.due({ ...everything, limit: 2, cursor })),
  ]);
  for (const [at, id] of foreign.entries()) {
    const Item = {
      OrderID: { S: id },
      DueShard: { N: '0' },
      DueAt: { N: at === 0 ? '0.25' : String(now) },
      SubmittedAt: { N: at === 0 ? '1E+100' : String(now + 1) },
      Attention: { S: 'Error' },
    };
    await client.send(new PutItemCommand({ TableName: tables.processes, Item }));
  }
  expect(
    await Promise.all([
      all((cursor) => store.list({ processState: null, limit: 2, cursor })),
      all((cursor) => store.due({ ...everything, limit: 2, cursor })),
    ]),
  ).toEqual(before);
  expect(await all((cursor) => store.list({ processState: 'Error', limit: 2, cursor }))).toEqual(
    [],
  );
  for (const from of ['due', 'list']) {
    const logged = log.lines.filter(({ fields }) => fields['from'] === from);
    const ids = logged.map(({ fields }) => fields['orderId']);
    expect(ids).toEqual(expect.arrayContaining(foreign));
  }
});
