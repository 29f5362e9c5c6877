/** Reads by key and of the due index. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { unavailable, type Waits } from '#aws/failure.ts';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { jsonSchema } from '#core/codec/json-schema.ts';
import { isFarKey } from '#core/decide/due.ts';
import { CorruptDataError, type UnreadableDataError } from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import { instant } from '#core/model/instant.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import { fromItem, type Item } from './attributes.ts';
import { batchGet, batchGetMax } from './batch-get.ts';
import { dueCursor } from './cursors.ts';
import { recordOf } from './record-item.ts';
import { dueIndex, type TableNames } from './tables.ts';

export interface ReadOptions extends Waits {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly log: Log;
  /** The precision of the due index, ms. */
  readonly sweepPeriodMs: number;
}

export function dynamoReads(
  options: ReadOptions,
): Pick<StateStore, 'records' | 'eventualRecords' | 'orders' | 'due'> {
  const { client, tables } = options;
  return {
    records: async (ids) => decoded(await recordItems(options, ids)),
    eventualRecords: async (ids) => decoded(await byKey(options, tables.processes, ids, false)),

    async orders(ids) {
      // Orders with an item of their own, which never changes: an eventually consistent read, at half the price, is right or finds nothing.
      const found = await byKey(options, tables.orders, ids, false);
      const missing = ids.filter((id) => !found.has(id));
      const late = await byKey(options, tables.orders, missing, true);
      const orders = new Map<OrderId, Order>();
      for (const [id, item] of [...found, ...late]) orders.set(id, decodeOrder(item));
      return orders;
    },

    async due({ shard, from, to, limit, cursor, far = false }) {
      const command = new QueryCommand({
        TableName: tables.processes,
        IndexName: dueIndex.name,
        KeyConditionExpression: 'DueShard = :shard AND DueAt BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':shard': { N: String(shard) },
          ':from': { N: String(from) },
          ':to': { N: String(to) },
        },
        Limit: limit,
        ...(cursor !== null && { ExclusiveStartKey: dueCursor.decode(cursor) }),
      });
      const page = await client.send(command).catch((error: unknown) => {
        throw unavailable('DynamoDB', error);
      });
      const found = (page.Items ?? []).filter(
        ({ DueAt }) => !far || isFarKey(Number(DueAt?.N), options.sweepPeriodMs),
      );
      return {
        items: decodeOrSkip(found, idOf, logLeftOut(options.log, 'due')),
        cursor:
          page.LastEvaluatedKey === undefined ? null : dueCursor.encode(page.LastEvaluatedKey),
      };
    },
  };
}

function decoded(items: ReadonlyMap<OrderId, Item>): ReadonlyMap<OrderId, ProcessRecord> {
  const records = new Map<OrderId, ProcessRecord>();
  for (const [id, item] of items) records.set(id, recordOf(item));
  return records;
}

/** Consistent reads, because the record decides. */
export function recordItems(
  options: ReadOptions,
  ids: readonly OrderId[],
): Promise<ReadonlyMap<OrderId, Item>> {
  return byKey(options, options.tables.processes, ids, true);
}

async function byKey(
  options: ReadOptions,
  table: string,
  ids: readonly OrderId[],
  consistent: boolean,
): Promise<ReadonlyMap<OrderId, Item>> {
  const unique = [...new Set(ids)];
  const found = new Map<OrderId, Item>();
  const chunks: OrderId[][] = [];
  for (let at = 0; at < unique.length; at += batchGetMax) {
    chunks.push(unique.slice(at, at + batchGetMax));
  }
  await Promise.all(
    chunks.map(async (chunk) => {
      const keys = chunk.map((id) => ({ OrderID: { S: id } }));
      for (const item of await batchGet(options.client, options, table, {
        Keys: keys,
        ConsistentRead: consistent,
      })) {
        found.set(idOf(item), item);
      }
    }),
  );
  return found;
}

/** @throws {CorruptDataError} `item-foreign` */
export function idOf(item: Item): OrderId {
  try {
    return orderId(keyOf(item));
  } catch (cause) {
    throw new CorruptDataError(
      'item-foreign',
      'The table holds an item under a key that is not an order id. Remove it by hand.',
      { cause },
    );
  }
}

const keyOf = (item: Item) => item['OrderID']?.S ?? '';

/** @param from the query that left out the item */
export function logLeftOut(log: Log, from: 'due' | 'list' | 'held') {
  return (item: Item, { code, message }: UnreadableDataError): void =>
    log.error('unreadable-order-left-out', { orderId: keyOf(item), from, code, reason: message });
}

const orderSchema = z.object({
  OrderID: z.string().transform(orderId),
  Details: z.string(),
  Digest: z.string(),
  SubmittedAt: instant,
});

function decodeOrder(item: Item): Order {
  try {
    const { OrderID, Details, Digest, SubmittedAt } = orderSchema.parse(fromItem(item));
    return {
      orderId: OrderID,
      details: jsonSchema.parse(JSON.parse(Details)),
      digest: Digest,
      submittedAt: SubmittedAt,
    };
  } catch (cause) {
    throw new CorruptDataError(
      'order-corrupt',
      'A stored order cannot be read. Restore it from a backup, or remove it by hand.',
      { cause },
    );
  }
}
