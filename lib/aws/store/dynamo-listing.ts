/**
 * Listings, newest first. The Recent index spreads orders over shards, so that no partition is hot; the
 * shards' pages are merged, and one position holds for all of them (listing-order.ts). The sparse Attention index finds orders in Error, the sparse Correlation index
 * those with a correlation id. An index may lag, so the records are read by key and their state decides.
 */
import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import { unavailable } from '#aws/failure.ts';
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { ListQuery, StateStore } from '#ports/state-store.ts';
import type { Item } from './attributes.ts';
import { isListed, listCursor } from './cursors.ts';
import { idOf, logLeftOut, type ReadOptions, recordItems } from './dynamo-reads.ts';
import {
  type Entry,
  entryOf,
  inOrder,
  isAhead,
  type Position,
  positionBetween,
} from './listing-order.ts';
import { recordOf } from './record-item.ts';
import { attention, attentionIndex, correlationIndex, type Index, recentIndex } from './tables.ts';

/** Index pages read for one answer; a rare state yields a short page and a cursor. */
const roundsMax = 5;

export interface ListingOptions extends ReadOptions {
  readonly shards: number;
}

export function dynamoListing(options: ListingOptions): Pick<StateStore, 'list'> {
  return {
    async list({ processState, correlationId, limit, cursor }) {
      const partitions = partitionsOf(options, processState, correlationId);
      let position = cursor === null ? null : listCursor.decode(cursor);
      const found: ProcessRecord[] = [];
      for (let round = 0; round < roundsMax && found.length < limit; round += 1) {
        const page = await merged(options, partitions, position, limit - found.length);
        position = page.position;
        found.push(...(await ofState(options, page.ids, processState)));
        if (position === null) break;
      }
      // The Correlation index has no instants.
      const items = correlationId === undefined ? found : found.sort(newestFirst);
      return { items, cursor: position === null ? null : listCursor.encode(position) };
    },
  };
}

/** A part of an index: one value of its partition key, with one value of its sort key or all (null). */
interface Partition {
  readonly index: Index;
  readonly value: AttributeValue;
  readonly only: AttributeValue | null;
}

const errors: Partition = { index: attentionIndex, value: { S: attention }, only: null };

function partitionsOf(
  { shards }: ListingOptions,
  processState: ListQuery['processState'],
  correlationId: string | undefined,
): readonly Partition[] {
  const each = (index: Index, only: AttributeValue | null) =>
    Array.from({ length: shards }, (_, shard) => ({ index, value: { N: String(shard) }, only }));
  if (correlationId !== undefined) return each(correlationIndex, { S: correlationId });
  return processState === 'Error' ? [errors] : each(recentIndex, null);
}

const newestFirst = (a: ProcessRecord, b: ProcessRecord) => b.submittedAt - a.submittedAt;

/** The next orders of all partitions, and the position after them; null: there are no more. */
async function merged(
  options: ListingOptions,
  partitions: readonly Partition[],
  position: Position | null,
  limit: number,
): Promise<{ ids: readonly OrderId[]; position: Position | null }> {
  const pages = await Promise.all(
    partitions.map((partition) => nextOf(options, partition, position, limit + 1)),
  );
  const entries = pages.flat().sort(inOrder);
  const given = entries.slice(0, limit);
  const [last, next] = [given.at(-1), entries[limit]];
  return {
    ids: given.map(({ id }) => id),
    position: last === undefined || next === undefined ? null : positionBetween(last, next),
  };
}

/** The next entries of a partition, in order; fewer than `count` only where it has no more. */
async function nextOf(
  options: ListingOptions,
  partition: Partition,
  position: Position | null,
  count: number,
): Promise<readonly Entry[]> {
  let next: readonly Entry[] = [];
  let from: Item | undefined;
  do {
    const page = await query(options, partition, { position, count, from });
    const entries = decodeOrSkip(
      page.Items ?? [],
      (item) => entryOf(idOf(item), submittedAtOf(partition, item)),
      logLeftOut(options.log, 'list'),
    );
    const ahead = entries.filter((entry) => position === null || isAhead(entry, position));
    const known = [...next, ...ahead].sort(inOrder);
    next = known.slice(0, count);
    // Those of one instant come in any order, so all of them are read.
    const isEarlier = (known.at(-1)?.submittedAt ?? 0) < (known[count - 1]?.submittedAt ?? 0);
    from = isEarlier ? undefined : page.LastEvaluatedKey;
  } while (from !== undefined);
  return next;
}

interface Part {
  readonly position: Position | null;
  readonly count: number;
  /** Where the page before ended. */
  readonly from: Item | undefined;
}

/** Half a read unit is some 40 entries, so fewer cost as much. */
const entriesMin = 40;

function query(
  { client, tables }: ListingOptions,
  { index, value, only }: Partition,
  { position, count, from }: Part,
) {
  const key =
    only === null ? earliestOf(position) : { condition: ' AND #sort = :sort', value: only };
  const command = new QueryCommand({
    TableName: tables.processes,
    IndexName: index.name,
    KeyConditionExpression: `#partition = :partition${key === null ? '' : key.condition}`,
    ExpressionAttributeNames: {
      '#partition': index.partition.name,
      ...(key !== null && { '#sort': index.sort.name }),
    },
    ExpressionAttributeValues: {
      ':partition': value,
      ...(key !== null && { ':sort': key.value }),
    },
    ScanIndexForward: false,
    // Those with one key are read whole, see above.
    ...(only === null && { Limit: Math.max(count + 1, entriesMin) }),
    ...(from !== undefined && { ExclusiveStartKey: from }),
  });
  return client.send(command).catch((error: unknown) => {
    throw unavailable('DynamoDB', error);
  });
}

const earliestOf = (position: Position | null) =>
  position === null
    ? null
    : { condition: ' AND #sort <= :sort', value: { N: String(position.at) } };

/**
 * 0 where all entries of the partition have one key.
 *
 * @throws {CorruptDataError} `item-corrupt`
 */
function submittedAtOf({ only }: Partition, item: Item): number {
  if (only !== null) return 0;
  const submittedAt = Number(item['SubmittedAt']?.N);
  if (isListed(submittedAt)) return submittedAt;
  throw new CorruptDataError(
    'item-corrupt',
    'A process record has no valid SubmittedAt. Restore it from a backup, or remove it by hand.',
  );
}

async function ofState(
  options: ListingOptions,
  ids: readonly OrderId[],
  processState: ListQuery['processState'],
): Promise<readonly ProcessRecord[]> {
  const items = await recordItems(options, ids);
  const found = ids.flatMap((id) => {
    const item = items.get(id);
    return item === undefined ? [] : [item];
  });
  const records = decodeOrSkip(found, recordOf, logLeftOut(options.log, 'list'));
  return records.filter((record) => processState === null || record.processState === processState);
}
