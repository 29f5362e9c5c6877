/**
 * Deletes the details of orders with an item of their own whose process records have expired: both exist, or neither (R1). An order that still is in
 * the line of its singleton key, because its end was not followed by the change of the line, is taken out of it.
 *
 * The stream may deliver a removal again after hours, when another order has the id by now: an idempotency key may be used again. So each write is
 * on condition that the details are those of the removed order.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { namedAfter, reportedError } from '#aws/reported-error.ts';
import { type Line, without } from '#core/flow/line.ts';
import { CorruptDataError, describeError, UnavailableError } from '#core/model/errors.ts';
import type { LineName, OrderId } from '#core/model/ids.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import { allEnded } from '#roles/all-ended.ts';
import { toItem } from './attributes.ts';
import { lineWrite } from './dynamo-lines.ts';

/** An order whose process record was deleted. */
export interface RemovedOrder {
  readonly orderId: OrderId;
  /** Tells it from another order with its id. Null where the record was damaged: then any order with the id is taken for it. */
  readonly submittedAt: number | null;
  /** Null for an order without a singleton key. */
  readonly line: LineName | null;
}

/** What {@link forgetOrders} uses. */
export interface ForgetOptions {
  readonly client: DynamoDBClient;
  /** The table of orders. */
  readonly table: string;
  readonly lines: Pick<StateStore, 'line'>;
  readonly log: Log;
}

/** Deletions at once. BatchWriteItem would take as many in one request, but knows no conditions. */
const atOnceMax = 25;

/** @throws {UnavailableError} when some deletions may have failed; deleting again does no harm */
export async function forgetOrders(
  options: ForgetOptions,
  removed: readonly RemovedOrder[],
): Promise<void> {
  // First: once its details are deleted its id is free, and a new order with it must not stand before those that have begun since.
  for (const order of removed) if (order.line !== null) await takeOut(options, order, order.line);
  const unique = [...new Map(removed.map((order) => [nameOf(order), order])).values()];
  for (let at = 0; at < unique.length; at += atOnceMax) {
    const some = unique.slice(at, at + atOnceMax);
    await allEnded(some.map((order) => deleteDetails(options, order)));
  }
}

const nameOf = ({ orderId, submittedAt }: RemovedOrder) => `${orderId} ${submittedAt}`;

const keyOf = ({ orderId }: RemovedOrder) => toItem({ OrderID: orderId });

async function deleteDetails({ client, table }: ForgetOptions, order: RemovedOrder): Promise<void> {
  const { submittedAt } = order;
  const command = new DeleteItemCommand({
    TableName: table,
    Key: keyOf(order),
    ...(submittedAt !== null && {
      ConditionExpression: 'SubmittedAt = :submitted',
      ExpressionAttributeValues: toItem({ ':submitted': submittedAt }),
    }),
  });
  try {
    await client.send(command);
  } catch (error) {
    // They are deleted, or there were none, or they are those of another order.
    if (error instanceof ConditionalCheckFailedException) return;
    throw unavailable('DynamoDB', error);
  }
}

async function takeOut(options: ForgetOptions, order: RemovedOrder, name: LineName): Promise<void> {
  const { client, table, lines, log } = options;
  const { orderId } = order;
  const before = await lines.line(name).catch((error: unknown): Line => {
    if (!(error instanceof CorruptDataError)) throw error;
    // No repetition can help, and it must not stop the stream.
    log.error('line-unreadable', { orderId, line: name, error: describeError(error) });
    return [];
  });
  if (!before.includes(orderId)) return;
  const change = { name, before, after: without(before, orderId) };
  const command = new TransactWriteItemsCommand({
    TransactItems: [lineWrite(table, change), ...ifOfNoOther(table, order)],
  });
  try {
    await client.send(command);
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw unavailable('DynamoDB', error);
    const [, details] = error.CancellationReasons ?? [];
    // It is another order that is in the line.
    if (details?.Code === 'ConditionalCheckFailed') return;
    const unchanged = new UnavailableError(
      'deletes-throttled',
      `Order ${orderId} was not taken out of its line: ${reportedError(error)}. It is tried again.`,
      { cause: error },
    );
    throw namedAfter(unchanged, error);
  }
}

/** The part of a transaction that is refused when the details of another order have the id. */
function ifOfNoOther(table: string, order: RemovedOrder) {
  const { submittedAt } = order;
  if (submittedAt === null) return [];
  return [
    {
      ConditionCheck: {
        TableName: table,
        Key: keyOf(order),
        ConditionExpression: 'attribute_not_exists(OrderID) OR SubmittedAt = :submitted',
        ExpressionAttributeValues: toItem({ ':submitted': submittedAt }),
      },
    },
  ];
}
