/** BatchGetItem on one table, repeated for keys that DynamoDB left unread. */
import {
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  type DynamoDBClient,
  type KeysAndAttributes,
} from '@aws-sdk/client-dynamodb';
import { unavailable, type Waits } from '#aws/failure.ts';
import type { BackOff } from '#core/model/back-off.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { backOffMs, pause } from '#roles/delays.ts';
import type { Item } from './attributes.ts';

/** Keys of one BatchGetItem (DynamoDB). */
export const batchGetMax = 100;
const unprocessedTriesMax = 6;
const unprocessedBackOff: BackOff = { firstMs: 100, maxMs: 1_600 };

/**
 * Returns the existing items, in no order.
 *
 * @param wanted at most `batchGetMax` keys
 * @throws {UnavailableError} when DynamoDB does not answer or still leaves keys unread after all tries
 */
export async function batchGet(
  client: DynamoDBClient,
  { clock, random }: Waits,
  table: string,
  wanted: KeysAndAttributes,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let left: KeysAndAttributes | undefined = wanted;
  for (let tries = 1; left !== undefined; tries += 1) {
    const answer: BatchGetItemCommandOutput = await client
      .send(new BatchGetItemCommand({ RequestItems: { [table]: left } }))
      .catch((error: unknown) => {
        throw unavailable('DynamoDB', error);
      });
    items.push(...(answer.Responses?.[table] ?? []));
    left = answer.UnprocessedKeys?.[table];
    if (left === undefined) break;
    if (tries === unprocessedTriesMax) {
      throw new UnavailableError(
        'reads-throttled',
        `DynamoDB left ${left.Keys?.length ?? 0} keys of ${table} unread. They are read again later.`,
      );
    }
    await pause(clock, backOffMs(unprocessedBackOff, tries, random));
  }
  return items;
}
