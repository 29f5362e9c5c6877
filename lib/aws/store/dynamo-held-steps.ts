/** Reads the index of the orders with a step that waits for an agent. It lags, so the records decide. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { HeldOrder, HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { Item } from './attributes.ts';
import { idOf, logLeftOut } from './dynamo-reads.ts';
import { afterFlow, flowOfTurn, heldFor } from './held-key.ts';
import { heldIndex } from './tables.ts';

/** @param table the name of the Processes table */
export function dynamoHeldSteps(client: DynamoDBClient, table: string, log: Log): HeldSteps {
  return {
    async waiting(agent, priority, limit, after) {
      const command = new QueryCommand({
        TableName: table,
        IndexName: heldIndex.name,
        KeyConditionExpression:
          after === null ? 'HeldFor = :for' : 'HeldFor = :for AND HeldTurn > :after',
        ExpressionAttributeValues: {
          ':for': { S: heldFor(agent, priority) },
          ...(after !== null && { ':after': { S: afterFlow(after) } }),
        },
        Limit: limit,
      });
      const page = await client.send(command).catch((error: unknown) => {
        throw unavailable('DynamoDB', error);
      });
      return decodeOrSkip(page.Items ?? [], heldOrderOf, logLeftOut(log, 'held'));
    },
  };
}

/** @throws {CorruptDataError} `item-corrupt` */
function heldOrderOf(item: Item): HeldOrder {
  const turn = item['HeldTurn']?.S;
  if (turn !== undefined) return { orderId: idOf(item), flow: flowOfTurn(turn) };
  throw new CorruptDataError(
    'item-corrupt',
    'A process record has no valid HeldTurn. Restore it from a backup, or remove it by hand.',
  );
}
