/** What Supervisors remember between sweeps, in one small table. */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { clockToleranceMs } from '#core/due.ts';
import type { Coordination, Unfinished } from '#ports/coordination.ts';
import { fromItem, type Item, toItem } from './attributes.ts';
import { unavailable } from './failure.ts';

const sweepKey = 'sweep';
const shardKey = (shard: number) => `shard#${shard}`;

export function dynamoCoordination(client: DynamoDBClient, table: string): Coordination {
  return {
    async recall(shards) {
      const known = await read(client, table, shards);
      // An earlier deployment had more: its orders are still in those shards.
      const before = numberOf(known.get(sweepKey), 'Shards') ?? 0;
      const all = before > shards ? await read(client, table, before) : known;
      const unfinished = new Map<number, Unfinished>();
      for (let shard = 0; shard < Math.max(shards, before); shard += 1) {
        const item = all.get(shardKey(shard));
        if (item !== undefined) {
          unfinished.set(shard, { previousSweepAt: numberOf(item, 'PreviousSweepAt') });
        }
      }
      const sweptAt = numberOf(known.get(sweepKey), 'SweptAt');
      return { sweptAt, shards: Math.max(shards, before), unfinished };
    },

    async remember(sweptAt, shards) {
      // The one put of this table: the alarm on completed sweeps counts it (lib/infra/alarms.ts).
      const item = toItem({ Name: sweepKey, SweptAt: sweptAt, Shards: shards });
      await ifCondition(() => client.send(new PutItemCommand({ TableName: table, Item: item })));
    },

    async take(shard, { holder, now, leaseMs, previousSweepAt }) {
      const command = new UpdateItemCommand({
        TableName: table,
        Key: { Name: { S: shardKey(shard) } },
        UpdateExpression: 'SET Holder = :me, HeldUntil = :until, PreviousSweepAt = :since',
        ConditionExpression:
          'attribute_not_exists(HeldUntil) OR NOT HeldUntil BETWEEN :now AND :latest OR Holder = :me',
        ExpressionAttributeValues: toItem({
          ':me': holder,
          ':until': now + leaseMs,
          ':since': previousSweepAt,
          ':now': now,
          ':latest': now + leaseMs + clockToleranceMs,
        }),
      });
      return ifCondition(() => client.send(command));
    },

    async giveBack(shard, holder, finished) {
      const where = {
        TableName: table,
        Key: { Name: { S: shardKey(shard) } },
        ConditionExpression: 'Holder = :me',
        ExpressionAttributeValues: { ':me': { S: holder } },
      };
      await ifCondition(() =>
        finished
          ? client.send(new DeleteItemCommand(where))
          : client.send(
              new UpdateItemCommand({ ...where, UpdateExpression: 'REMOVE Holder, HeldUntil' }),
            ),
      );
    },
  };
}

/** False when the condition did not hold. */
async function ifCondition(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw unavailable('DynamoDB', error);
  }
}

async function read(
  client: DynamoDBClient,
  table: string,
  shards: number,
): Promise<ReadonlyMap<string, Item>> {
  const names = [sweepKey, ...Array.from({ length: shards }, (_, shard) => shardKey(shard))];
  const command = new BatchGetItemCommand({
    RequestItems: {
      [table]: { ConsistentRead: true, Keys: names.map((name) => ({ Name: { S: name } })) },
    },
  });
  const answer = await client.send(command).catch((error: unknown) => {
    throw unavailable('DynamoDB', error);
  });
  if (answer.UnprocessedKeys?.[table] !== undefined) throw unavailable('DynamoDB', 'throttled');
  return new Map(
    (answer.Responses?.[table] ?? []).map((item) => [String(fromItem(item)['Name']), item]),
  );
}

function numberOf(item: Item | undefined, name: string): number | null {
  const text = item?.[name]?.N;
  return text === undefined ? null : Number(text);
}
