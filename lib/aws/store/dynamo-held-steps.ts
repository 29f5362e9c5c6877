/** Reads the index of the orders with a step that waits for an agent. It lags, so the records decide. */
import {
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { FlowCount } from '#core/flow/held-backlog.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { HeldCounts, HeldOrder, HeldSteps } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';
import type { Item } from './attributes.ts';
import { idOf, logLeftOut } from './dynamo-reads.ts';
import { afterPlace, heldFor, placeOfTurn, sinceOfTurn } from './held-key.ts';
import { heldIndex } from './tables.ts';

/** Pages of 1 MB, of some 7,000 orders each: together more than may wait (`backlogOrdersMax`). */
const countPagesMax = 16;

/** @param table the name of the Processes table */
export function dynamoHeldSteps(
  client: DynamoDBClient,
  table: string,
  log: Log,
): HeldSteps & HeldCounts {
  return {
    count: (agent, priority, from) =>
      countFlows(client, table, heldFor(agent, priority), from ?? Number.NEGATIVE_INFINITY),
    async waiting(agent, priority, limit, after) {
      const command = new QueryCommand({
        TableName: table,
        IndexName: heldIndex.name,
        KeyConditionExpression:
          after === null ? 'HeldFor = :for' : 'HeldFor = :for AND HeldTurn > :after',
        ExpressionAttributeValues: {
          ':for': { S: heldFor(agent, priority) },
          ...(after !== null && { ':after': { S: afterPlace(after) } }),
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

async function countFlows(
  client: DynamoDBClient,
  table: string,
  partition: string,
  from: number,
): Promise<readonly FlowCount[]> {
  const counts = new Map<string, { waiting: number; early: number }>();
  let start: Item | undefined;
  for (let pages = 0; pages < countPagesMax; pages += 1) {
    const command = new QueryCommand({
      TableName: table,
      IndexName: heldIndex.name,
      KeyConditionExpression: 'HeldFor = :for',
      ProjectionExpression: 'HeldTurn',
      ExpressionAttributeValues: { ':for': { S: partition } },
      ...(start !== undefined && { ExclusiveStartKey: start }),
    });
    const page: QueryCommandOutput = await client.send(command).catch((error: unknown) => {
      throw unavailable('DynamoDB', error);
    });
    for (const { HeldTurn: turn } of page.Items ?? []) {
      const key = turn?.S ?? '';
      const { flow } = placeOfTurn(key);
      const own = counts.get(flow) ?? { waiting: 0, early: 0 };
      own.waiting += 1;
      if (sinceOfTurn(key) <= from) own.early += 1;
      counts.set(flow, own);
    }
    start = page.LastEvaluatedKey;
    if (start === undefined) break;
  }
  return [...counts].map(([flow, own]) => ({ flow, ...own }));
}

/** @throws {CorruptDataError} `item-corrupt` */
function heldOrderOf(item: Item): HeldOrder {
  const turn = item['HeldTurn']?.S;
  if (turn !== undefined) return { orderId: idOf(item), ...placeOfTurn(turn) };
  throw new CorruptDataError(
    'item-corrupt',
    'A process record has no valid HeldTurn. Restore it from a backup, or remove it by hand.',
  );
}
