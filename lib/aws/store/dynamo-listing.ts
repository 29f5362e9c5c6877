/**
 * Listings, newest first. The Recent index spreads orders over shards, so that no partition is hot; the
 * shards' pages are merged. The sparse Attention index finds orders in Error, the sparse Correlation index
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
import { isPlace, listCursor, type Place } from './cursors.ts';
import { idOf, logLeftOut, type ReadOptions, recordItems } from './dynamo-reads.ts';
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
      let places = placesOf(cursor, partitions);
      const found: ProcessRecord[] = [];
      for (let round = 0; round < roundsMax && found.length < limit && !atEnd(places); round += 1) {
        const page = await merged(options, partitions, places, limit - found.length);
        places = page.places;
        found.push(...(await ofState(options, page.ids, processState)));
      }
      // The Correlation index has no instants: its entries arrive in shard order.
      const items = correlationId === undefined ? found : found.sort(newestFirst);
      return { items, cursor: atEnd(places) ? null : listCursor.encode(places) };
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

const atEnd = (places: readonly Place[]) => places.every((place) => place === 'end');

function placesOf(cursor: string | null, partitions: readonly Partition[]): readonly Place[] {
  if (cursor === null) return partitions.map(() => 'start');
  const places = listCursor.decode(cursor);
  // A cursor from a deployment with fewer shards: added shards are read from their start.
  return partitions.map((_, at) => places[at] ?? 'start');
}

interface Entry {
  readonly partition: number;
  readonly id: OrderId;
  readonly submittedAt: number;
}

/** The newest of all partitions' next entries, and each partition's place after them. */
async function merged(
  options: ListingOptions,
  partitions: readonly Partition[],
  places: readonly Place[],
  limit: number,
): Promise<{ ids: readonly OrderId[]; places: readonly Place[] }> {
  const pages = await Promise.all(
    partitions.map((partition, at) => pageOf(options, partition, at, places[at] ?? 'end', limit)),
  );
  const entries = pages
    .flatMap((page) => page.entries)
    .sort((a, b) => b.submittedAt - a.submittedAt)
    .slice(0, limit);
  return {
    ids: entries.map(({ id }) => id),
    places: pages.map(({ entries: own, exhausted }, at) => {
      const given = entries.filter(({ partition }) => partition === at);
      if (exhausted && given.length === own.length) return 'end';
      const last = given.at(-1);
      return last === undefined ? (places[at] ?? 'end') : [last.submittedAt, last.id];
    }),
  };
}

async function pageOf(
  options: ListingOptions,
  partition: Partition,
  at: number,
  place: Place,
  limit: number,
): Promise<{ entries: readonly Entry[]; exhausted: boolean }> {
  if (place === 'end') return { entries: [], exhausted: true };
  let from = place === 'start' ? undefined : keyAt(partition, place);
  // A place refers to an order, so pages without any are skipped.
  for (;;) {
    const page = await query(options, partition, from, limit);
    const entries = decodeOrSkip(
      page.Items ?? [],
      (item) => ({ partition: at, id: idOf(item), submittedAt: submittedAtOf(partition, item) }),
      logLeftOut(options.log, 'list'),
    );
    from = page.LastEvaluatedKey;
    if (entries.length > 0 || from === undefined) return { entries, exhausted: from === undefined };
  }
}

const keyAt = (
  { index, value, only }: Partition,
  [submittedAt, id]: Exclude<Place, string>,
): Item => ({
  [index.partition.name]: value,
  [index.sort.name]: only ?? { N: String(submittedAt) },
  OrderID: { S: id },
});

function query(
  { client, tables }: ListingOptions,
  { index, value, only }: Partition,
  from: Item | undefined,
  limit: number,
) {
  const command = new QueryCommand({
    TableName: tables.processes,
    IndexName: index.name,
    KeyConditionExpression:
      only === null ? '#partition = :partition' : '#partition = :partition AND #sort = :only',
    ExpressionAttributeNames: {
      '#partition': index.partition.name,
      ...(only !== null && { '#sort': index.sort.name }),
    },
    ExpressionAttributeValues: { ':partition': value, ...(only !== null && { ':only': only }) },
    ScanIndexForward: false,
    Limit: limit,
    ...(from !== undefined && { ExclusiveStartKey: from }),
  });
  return client.send(command).catch((error: unknown) => {
    throw unavailable('DynamoDB', error);
  });
}

/**
 * 0 where all entries of the partition have one key, so that sorting keeps their order.
 *
 * @throws {CorruptDataError} `item-corrupt`
 */
function submittedAtOf({ only }: Partition, item: Item): number {
  if (only !== null) return 0;
  const submittedAt = Number(item['SubmittedAt']?.N);
  if (isPlace(submittedAt)) return submittedAt;
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
