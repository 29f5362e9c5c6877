/**
 * The state store on DynamoDB. Each write is conditional on the previous revision and carries a write id: a
 * condition that fails on the caller's own write means a lost answer, not a conflict (R12). The record is one
 * item, so that a transition costs one write. The document of a small order is a part of it (one-item.ts).
 */
import {
  ConditionalCheckFailedException,
  PutItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { againOnConflict } from '#aws/failure.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { Order, PendingRecord, ProcessRecord } from '#core/model/record.ts';
import type { LineJoin, StateStore } from '#ports/state-store.ts';
import { type Item, toItem } from './attributes.ts';
import { dynamoLines, lineWrite } from './dynamo-lines.ts';
import { dynamoListing } from './dynamo-listing.ts';
import { dynamoReads, type ReadOptions } from './dynamo-reads.ts';
import { isOneItem } from './one-item.ts';
import { type RecordItemOptions, recordItem, recordOf } from './record-item.ts';
import { shardOf, shardsMax } from './tables.ts';

export interface DynamoStoreOptions extends ReadOptions, RecordItemOptions {}

export function dynamoStore(options: DynamoStoreOptions): StateStore {
  return {
    dueShards: options.shards,
    dueShardsMax: shardsMax,
    dueShardOf: shardOf,
    ...dynamoReads(options),
    ...dynamoListing(options),
    ...dynamoLines({ ...options, table: options.tables.orders }),
    create: (order, record, line) => create(options, order, record, line),
    commit: (record, replaced) => commit(options, record, replaced),
  };
}

const ifNew = {
  ConditionExpression: 'attribute_not_exists(OrderID)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
} as const;

/**
 * An order in a line is always two items. Its id is then free only when the notifier has taken an expired order with it out of the
 * line, see forget-orders.ts.
 */
function create(
  options: DynamoStoreOptions,
  order: Order,
  record: PendingRecord,
  line: LineJoin | undefined,
): Promise<'created' | 'exists' | 'overtaken'> {
  if (line !== undefined) return createItems(options, order, record, line);
  const { details, digest } = order;
  const steps = record.steps.length;
  const whole = recordItem(options, { ...record, document: { details, digest } });
  return isOneItem({ record: recordItem(options, record), whole, steps })
    ? createItem(options, whole, record)
    : createItems(options, order, record);
}

/** Order and record are one item, so that one write creates both or neither (R1). */
async function createItem(
  options: DynamoStoreOptions,
  item: Item,
  record: PendingRecord,
): Promise<'created' | 'exists'> {
  const command = new PutItemCommand({ TableName: options.tables.processes, Item: item, ...ifNew });
  return againOnConflict(options, isConflict, async () => {
    try {
      await options.client.send(command);
      return 'created';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return isOwn(error.Item, record) ? 'created' : 'exists';
    }
  });
}

async function createItems(
  options: DynamoStoreOptions,
  order: Order,
  record: PendingRecord,
  line?: LineJoin,
): Promise<'created' | 'exists' | 'overtaken'> {
  const { client, tables } = options;
  const { replaced } = line ?? {};
  const command = new TransactWriteItemsCommand({
    TransactItems: [
      { Put: { TableName: tables.orders, Item: orderItem(order), ...ifNew } },
      { Put: { TableName: tables.processes, Item: recordItem(options, record), ...ifNew } },
      ...(line === undefined ? [] : [lineWrite(tables.orders, line)]),
      ...(replaced === undefined ? [] : [{ Put: recordPut(options, replaced) }]),
    ],
  });
  return againOnConflict(options, isConflict, async () => {
    try {
      await client.send(command);
      return 'created';
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
      if (!failed.includes(true)) throw error;
      if (failed[0] === false && failed[1] === false) return 'overtaken';
      if (failed[0] === true && failed[1] === false) {
        // Where another write is in the way, or the item is throttled, nothing is known of it.
        throw reasons[1]?.Code === 'None' ? expiring(order) : error;
      }
      return isOwn(reasons[1]?.Item, record) ? 'created' : 'exists';
    }
  });
}

/** Both items are written at once, and the record expires first: the notifier deletes the details when the stream has its removal. */
const expiring = ({ orderId }: Order) =>
  new UnavailableError(
    'order-expiring',
    `Order ${orderId} has expired, and its details are not deleted yet. Its key can be used again once they are deleted: repeat the submission later. If this error remains, see docs/runbook.md, "Dead letters".`,
  );

async function commit(
  options: DynamoStoreOptions,
  record: ProcessRecord,
  replaced: number | undefined,
): Promise<'committed' | 'conflict'> {
  const command = new PutItemCommand({
    ...recordPut(options, record, replaced),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return againOnConflict(options, isConflict, async () => {
    try {
      await options.client.send(command);
      return 'committed';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const whole = withDocument(record, error.Item, replaced);
      if (whole !== null) return commit(options, whole, replaced);
      return isOwn(error.Item, record) ? 'committed' : 'conflict';
    }
  });
}

/** Replaces a revision of the record, and never an item with a document by one without. */
const recordPut = (
  options: DynamoStoreOptions,
  record: ProcessRecord,
  replaced = record.revision - 1,
) => ({
  TableName: options.tables.processes,
  Item: recordItem(options, record),
  ConditionExpression:
    record.document === undefined
      ? 'Revision = :before AND attribute_not_exists(Details)'
      : 'Revision = :before',
  ExpressionAttributeValues: { ':before': { N: String(replaced) } },
});

/**
 * The record with the document that the stored revision has: a record that was created here, and not read, has none. Null: another
 * revision is stored.
 */
function withDocument(
  record: ProcessRecord,
  stored: Item | undefined,
  replaced = record.revision - 1,
): ProcessRecord | null {
  if (record.document !== undefined || stored?.['Revision']?.N !== String(replaced)) return null;
  const { document } = recordOf(stored);
  return document === undefined ? null : { ...record, document };
}

/** The stored write is this one: its answer was lost, or the SDK sent it twice. */
function isOwn(stored: Item | undefined, { writeId }: ProcessRecord): boolean {
  return stored?.['WriteID']?.S === writeId;
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return (
    error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).some(({ Code }) => Code === 'TransactionConflict')
  );
}

function orderItem({ orderId, details, digest, submittedAt }: Order): Item {
  return toItem({
    OrderID: orderId,
    Details: JSON.stringify(details),
    Digest: digest,
    SubmittedAt: submittedAt,
  });
}
