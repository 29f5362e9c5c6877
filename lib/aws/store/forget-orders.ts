/**
 * Deletes orders with an item of their own whose process records have expired: both exist, or neither (R1). An order that still is in the line of its
 * singleton key, because its end was not followed by the change of the line, is taken out of it.
 */
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { type Line, without } from '#core/flow/line.ts';
import { CorruptDataError, describeError, UnavailableError } from '#core/model/errors.ts';
import type { LineName, OrderId } from '#core/model/ids.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';

/** An order whose process record was deleted. */
export interface RemovedOrder {
  readonly orderId: OrderId;
  /** Null for an order without a singleton key. */
  readonly line: LineName | null;
}

/** What {@link forgetOrders} uses. */
export interface ForgetOptions {
  readonly client: DynamoDBClient;
  /** The table of orders. */
  readonly table: string;
  readonly lines: Pick<StateStore, 'line' | 'changeLine'>;
  readonly log: Log;
}

/** Requests of one BatchWriteItem (DynamoDB). */
const batchWriteMax = 25;

/** @throws {UnavailableError} when some deletions may have failed; deleting again does no harm */
export async function forgetOrders(
  options: ForgetOptions,
  removed: readonly RemovedOrder[],
): Promise<void> {
  const { client, table } = options;
  // First: once its details are deleted its id is free, and a new order with it must not stand before those that have begun since.
  for (const { orderId, line } of removed) if (line !== null) await takeOut(options, line, orderId);
  const unique = [...new Set(removed.map(({ orderId }) => orderId))];
  for (let at = 0; at < unique.length; at += batchWriteMax) {
    const requests = unique
      .slice(at, at + batchWriteMax)
      .map((id) => ({ DeleteRequest: { Key: { OrderID: { S: id } } } }));
    const answer = await client
      .send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }))
      .catch((error: unknown) => {
        throw unavailable('DynamoDB', error);
      });
    const left = answer.UnprocessedItems?.[table]?.length ?? 0;
    if (left > 0) throw notDeleted(`${left} orders were not deleted`);
  }
}

async function takeOut(
  { lines, log }: ForgetOptions,
  name: LineName,
  orderId: OrderId,
): Promise<void> {
  const before = await lines.line(name).catch((error: unknown): Line => {
    if (!(error instanceof CorruptDataError)) throw error;
    // No repetition can help, and it must not stop the stream.
    log.error('line-unreadable', { orderId, line: name, error: describeError(error) });
    return [];
  });
  if (!before.includes(orderId)) return;
  const after = without(before, orderId);
  if (!(await lines.changeLine({ name, before, after }))) {
    throw notDeleted(`Order ${orderId} was not taken out of its line, which others changed`);
  }
}

const notDeleted = (what: string) =>
  new UnavailableError('deletes-throttled', `${what}. It is tried again.`);
