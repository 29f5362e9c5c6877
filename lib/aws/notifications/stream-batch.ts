/**
 * A batch of the Processes table's change stream, and the answer that the stream understands. The stream
 * goes on from the first record that is not settled, and delivers all after it again: so of those nothing
 * is announced to operators. Only what SQS or DynamoDB themselves refuse is not settled, and what a newer release
 * wrote, whose functions are about to replace these; a receiver that is down is the retry queue's affair, and a
 * record that cannot be read is parked.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Change } from '#core/model/change.ts';
import { CorruptDataError, describeError, NewerDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessState } from '#core/model/record.ts';
import type { Log } from '#ports/log.ts';
import type { Notifier } from '#roles/notifier.ts';
import { type StreamEntry, streamEntry } from './process-stream.ts';

export interface StreamConsumer {
  readonly notifier: Pick<Notifier, 'onChanges'>;
  /** Deletes what belongs to process records that are gone. */
  readonly forget: (orderIds: readonly OrderId[]) => Promise<void>;
  /** Puts a record that cannot be read where a person finds it, with the reason. */
  readonly park: (record: DynamoDBRecord, reason: string) => Promise<void>;
  readonly log: Log;
}

/** Where an order stops: at its end, or for a person. */
export type Stop = 'Processed' | 'Undone' | 'Error';

export interface StreamDelivery {
  readonly response: DynamoDBBatchResponse;
  /** Orders that stopped there, each counted once however often its change is delivered. */
  readonly stopped: Readonly<Record<Stop, number>>;
}

type Unread = { readonly kind: 'unread'; readonly record: DynamoDBRecord; readonly reason: string };
/** Written by a newer release. */
type Newer = { readonly kind: 'newer' };
type Read = StreamEntry | Unread | Newer;

export async function deliverStream(
  { Records: records }: DynamoDBStreamEvent,
  consumer: StreamConsumer,
): Promise<StreamDelivery> {
  const entries = records.map(read);
  const unsettled = [
    ...(await forgetRemoved(entries, consumer)),
    ...(await parkUnread(entries, consumer)),
    ...newerOnes(entries, consumer),
  ];
  const readable = Math.min(records.length, ...unsettled);
  const changes: { readonly place: number; readonly change: Change }[] = [];
  for (const [place, entry] of entries.slice(0, readable).entries()) {
    if (entry.kind === 'changed') changes.push({ place, change: entry.change });
  }
  const settled = await consumer.notifier.onChanges(changes.map(({ change }) => change));
  const first = changes[settled]?.place ?? readable;
  const stopped = { Processed: 0, Undone: 0, Error: 0 };
  for (const { place, change } of changes) {
    const { processState } = change;
    if (place < first && isStop(processState)) stopped[processState] += 1;
  }
  return { stopped, response: answer(records, first) };
}

function read(record: DynamoDBRecord): Read {
  try {
    return streamEntry(record);
  } catch (error) {
    if (error instanceof CorruptDataError) return { kind: 'unread', record, reason: error.code };
    if (error instanceof NewerDataError) return { kind: 'newer' };
    throw error;
  }
}

/** Gives the first place of what is not known to be deleted: deleting again does no harm. */
async function forgetRemoved(
  entries: readonly Read[],
  { forget, log }: StreamConsumer,
): Promise<readonly number[]> {
  const removed = entries.flatMap((entry) => (entry.kind === 'removed' ? [entry.orderId] : []));
  if (removed.length === 0) return [];
  try {
    await forget(removed);
    return [];
  } catch (error) {
    log.error('orders-not-deleted', { orders: removed.length, error: describeError(error) });
    return [entries.findIndex(({ kind }) => kind === 'removed')];
  }
}

async function parkUnread(
  entries: readonly Read[],
  { park, log }: StreamConsumer,
): Promise<readonly number[]> {
  const failedAt: number[] = [];
  for (const [place, entry] of entries.entries()) {
    if (entry.kind !== 'unread') continue;
    const { record, reason } = entry;
    const orderId = record.dynamodb?.Keys?.['OrderID']?.S ?? '';
    log.error('change-parked', { orderId, reason });
    try {
      await park(record, reason);
    } catch (error) {
      failedAt.push(place);
      log.error('parking-failed', { orderId, error: describeError(error) });
    }
  }
  return failedAt;
}

function newerOnes(entries: readonly Read[], { log }: StreamConsumer): readonly number[] {
  const first = entries.findIndex(({ kind }) => kind === 'newer');
  if (first < 0) return [];
  log.warn('change-newer', { changes: entries.length - first });
  return [first];
}

function isStop(processState: ProcessState): processState is Stop {
  return processState !== 'Pending' && processState !== 'Processing';
}

/** An empty answer acknowledges everything, so a failure that cannot be named must throw. */
function answer(records: readonly DynamoDBRecord[], first: number): DynamoDBBatchResponse {
  if (first === records.length) return { batchItemFailures: [] };
  const itemIdentifier = records[first]?.dynamodb?.SequenceNumber;
  if (itemIdentifier !== undefined) return { batchItemFailures: [{ itemIdentifier }] };
  throw new CorruptDataError(
    'stream-record-corrupt',
    'A stream record without a sequence number is not settled. See the failure queue of the notifier.',
  );
}
