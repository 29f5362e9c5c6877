/** The Coordination table: what Supervisors remember between sweeps. */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Waits } from '#aws/failure.ts';
import { clockToleranceMs } from '#core/decide/due.ts';
import type { ShardMemory } from '#core/decide/sweep-gaps.ts';
import { type Coordination, type Mark, sweptShards } from '#ports/coordination.ts';
import { type Attributes, fromItem, type Item, toItem } from './attributes.ts';
import { batchGet } from './batch-get.ts';
import { coordinationItems } from './coordination-items.ts';
import { ifCondition } from './if-condition.ts';
import {
  isFinished,
  memoryAttributes,
  memoryOf,
  numberOf,
  shardCountsOf,
} from './shard-memory-item.ts';

const sweepKey = 'sweep';
const shardKey = (shard: number) => `shard#${shard}`;
/** Sets only missing attributes: an earlier sweep may have stored more than the taker has recalled. */
const takeExpression =
  'SET Holder = :me, HeldUntil = :until, AliveAt = if_not_exists(AliveAt, :alive), WaitingFrom = if_not_exists(WaitingFrom, :waiting), Gaps = if_not_exists(Gaps, :gaps), RampAt = if_not_exists(RampAt, :ramp)';
const ifFree =
  'attribute_not_exists(HeldUntil) OR NOT HeldUntil BETWEEN :now AND :latest OR Holder = :me';
/** Includes the same instant: a tick repeats the call when it receives no answer. */
const ifLater =
  '(attribute_not_exists(SweptAt) OR SweptAt = :at OR NOT SweptAt BETWEEN :at AND :latest)';
/** Rejects a tick that left out a shard and recalled before the last complete one. */
const ifNotReachedSince =
  '(attribute_not_exists(ReachedAt) OR ReachedAt = :reached OR NOT ReachedAt BETWEEN :reached AND :latest)';
const setMemory = 'SET AliveAt = :alive, WaitingFrom = :waiting, Gaps = :gaps, RampAt = :ramp';
const setFinished =
  'SET FinishedAt = :at REMOVE Holder, HeldUntil, AliveAt, WaitingFrom, Gaps, RampAt';

export function dynamoCoordination(
  client: DynamoDBClient,
  table: string,
  waits: Waits,
): Coordination {
  const items = coordinationItems(client, table);
  const read = (shards: number) => readShards(client, waits, table, shards);
  const update = async (shard: number, holder: string, expression: string, values: Attributes) => {
    await items.update(shardKey(shard), {
      UpdateExpression: expression,
      ConditionExpression: 'Holder = :me',
      ExpressionAttributeValues: toItem({ ':me': holder, ...values }),
    });
  };
  return {
    async recall(shards) {
      const known = await read(shards);
      // An earlier deployment may have had more shards, which still hold orders.
      const shardCounts = shardCountsOf(known.get(sweepKey));
      const before = sweptShards(shardCounts);
      const all = before > shards ? await read(before) : known;
      const unfinished = new Map<number, ShardMemory>();
      for (let shard = 0; shard < Math.max(shards, before); shard += 1) {
        const item = all.get(shardKey(shard));
        if (item !== undefined && !isFinished(item)) unfinished.set(shard, memoryOf(item));
      }
      const sweptAt = numberOf(known.get(sweepKey), 'SweptAt');
      const reachedAt = numberOf(known.get(sweepKey), 'ReachedAt');
      return {
        ...{ sweptAt, reachedAt, unfinished, shardCounts },
        shards: Math.max(shards, before),
      };
    },

    remember: (mark) => remember(client, table, mark),

    async acquire(shard, { holder, nowMs, leaseMs }, first) {
      const taken = await items.update(shardKey(shard), {
        UpdateExpression: takeExpression,
        ConditionExpression: ifFree,
        ExpressionAttributeValues: toItem({
          ':me': holder,
          ':until': nowMs + leaseMs,
          ':now': nowMs,
          ':latest': nowMs + leaseMs + clockToleranceMs,
          ...memoryAttributes(first),
        }),
        ReturnValues: 'ALL_NEW',
      });
      return taken === null ? null : memoryOf(taken.Attributes ?? {});
    },

    // The holder knows when the shard was finished since it acquired it.
    keep: (shard, holder, memory) =>
      update(shard, holder, `${setMemory} REMOVE FinishedAt`, memoryAttributes(memory)),

    release: (shard, holder, left) =>
      update(
        shard,
        holder,
        `${setMemory} REMOVE FinishedAt, Holder, HeldUntil`,
        memoryAttributes(left),
      ),

    finish: (shard, holder, aliveAt) => update(shard, holder, setFinished, { ':at': aliveAt }),
  };
}

async function remember(
  client: DynamoDBClient,
  table: string,
  { sweptAt, nowMs, reachedAt, shardCounts, complete }: Mark,
): Promise<void> {
  const items = coordinationItems(client, table);
  const swept = { ':at': sweptAt, ':latest': nowMs + clockToleranceMs };
  const reached = { ':reached': reachedAt ?? 0 };
  // Functions of an earlier release read the highest number alone.
  const shards = sweptShards(shardCounts);
  const counts = JSON.stringify(shardCounts);
  const condition = `${ifLater} AND ${ifNotReachedSince}`;
  // The only PutItem on this table: the alarm on completed sweeps counts it (lib/infra/operations/alarms.ts).
  const put = new PutItemCommand({
    TableName: table,
    Item: toItem({
      ...{ Name: sweepKey, SweptAt: sweptAt, ReachedAt: reachedAt },
      ...{ Shards: shards, ShardCounts: counts },
    }),
    ConditionExpression: condition,
    ExpressionAttributeValues: toItem({ ...swept, ...reached }),
  });
  const update = {
    UpdateExpression:
      'SET SweptAt = :at, ReachedAt = :stored, Shards = :shards, ShardCounts = :counts',
    ConditionExpression: condition,
    ExpressionAttributeValues: toItem({
      ...swept,
      ...reached,
      ':stored': reachedAt,
      ':shards': shards,
      ':counts': counts,
    }),
  };
  const remembered = complete
    ? await ifCondition(() => client.send(put))
    : await items.update(sweepKey, update);
  if (remembered !== null) return;
  const part =
    reachedAt === sweptAt
      ? {
          UpdateExpression: 'SET ReachedAt = :reached',
          ConditionExpression: ifNotReachedSince,
          ExpressionAttributeValues: toItem({ ...reached, ':latest': swept[':latest'] }),
        }
      : {
          UpdateExpression: 'SET SweptAt = :at, Shards = :shards, ShardCounts = :counts',
          ConditionExpression: ifLater,
          ExpressionAttributeValues: toItem({
            ...{ ...swept, ':shards': shards, ':counts': counts },
          }),
        };
  await items.update(sweepKey, part);
}

async function readShards(
  client: DynamoDBClient,
  waits: Waits,
  table: string,
  shards: number,
): Promise<ReadonlyMap<string, Item>> {
  const names = [sweepKey, ...Array.from({ length: shards }, (_, shard) => shardKey(shard))];
  const items = await batchGet(client, waits, table, {
    Keys: names.map((name) => ({ Name: { S: name } })),
    ConsistentRead: true,
  });
  return new Map(items.map((item) => [String(fromItem(item)['Name']), item]));
}
