/** Deletes orders whose process records have expired: both exist, or neither (R1). */
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';

/** Requests of one BatchWriteItem (DynamoDB). */
const batchWriteMax = 25;

/** @throws {UnavailableError} when some deletions may have failed; deleting again does no harm */
export async function forgetOrders(
  client: DynamoDBClient,
  table: string,
  orderIds: readonly OrderId[],
): Promise<void> {
  const unique = [...new Set(orderIds)];
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
    if (left > 0) {
      throw new UnavailableError(
        'deletes-throttled',
        `${left} orders were not deleted. They are tried again.`,
      );
    }
  }
}
