/**
 * A batch of the Processes table's change stream and its response. The stream continues at the first
 * unsettled record and delivers every later record again, so operators are not alerted about those yet. A
 * record is unsettled when SQS or DynamoDB rejects a call, or when a newer release wrote it, whose functions
 * are about to replace these. Notifications to an unavailable receiver enter the retry queue; unreadable
 * records are parked.
 */
import type { BatchResponse, StreamEvent, StreamRecord } from '#aws/lambda-events.ts';
import type { RemovedOrder } from '#aws/store/forget-orders.ts';
import type { Change } from '#core/model/change.ts';
import { CorruptDataError, describeError, NewerDataError } from '#core/model/errors.ts';
import type { ProcessState } from '#core/model/record.ts';
import type { Log } from '#ports/log.ts';
import type { Notifier } from '#roles/notifier.ts';
import { type StreamEntry, streamEntry } from './process-stream.ts';

export interface StreamConsumer {
  readonly notifier: Pick<Notifier, 'onChanges'>;
  /** Deletes the orders of process records that have expired. */
  readonly forget: (removed: readonly RemovedOrder[]) => Promise<void>;
  /** Parks an unreadable record for operators, with the reason. */
  readonly park: (record: StreamRecord, reason: string) => Promise<void>;
  readonly log: Log;
}

/** The states in which an order stops: at its end, or until an operator acts. */
export type Stop = 'Processed' | 'Undone' | 'Error';

export interface StreamDelivery {
  readonly response: BatchResponse;
  /** Orders that stopped, by state; each is counted once however often its change is delivered. */
  readonly stopped: Readonly<Record<Stop, number>>;
}

type Unread = { readonly kind: 'unread'; readonly record: StreamRecord; readonly reason: string };
/** Written by a newer release. */
type Newer = { readonly kind: 'newer' };
type Read = StreamEntry | Unread | Newer;

export async function deliverStream(
  { Records: records }: StreamEvent,
  consumer: StreamConsumer,
): Promise<StreamDelivery> {
  const entries = records.map(read);
  const left = [...(await forgetRemoved(entries, consumer)), ...firstNewer(entries, consumer)];
  // What is after them is delivered again: it would be parked at each delivery, or a newer release may read it.
  const before = entries.slice(0, Math.min(records.length, ...left));
  const unsettled = [...left, ...(await parkUnread(before, consumer))];
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

function read(record: StreamRecord): Read {
  try {
    return streamEntry(record);
  } catch (error) {
    if (error instanceof CorruptDataError) return { kind: 'unread', record, reason: error.code };
    if (error instanceof NewerDataError) return { kind: 'newer' };
    throw error;
  }
}

/** Returns the index of the first expired record when its deletion failed: deleting again does no harm. */
async function forgetRemoved(
  entries: readonly Read[],
  { forget, log }: StreamConsumer,
): Promise<readonly number[]> {
  const removed = entries.filter((entry) => entry.kind === 'removed');
  if (removed.length === 0) return [];
  try {
    await forget(removed);
    return [];
  } catch (error) {
    log.error('orders-not-deleted', { orders: removed.length, error: describeError(error) });
    return [entries.findIndex(({ kind }) => kind === 'removed')];
  }
}

/** Returns the index of the first record that could not be parked; those after it are not parked yet. */
async function parkUnread(
  entries: readonly Read[],
  { park, log }: StreamConsumer,
): Promise<readonly number[]> {
  for (const [place, entry] of entries.entries()) {
    if (entry.kind !== 'unread') continue;
    const { record, reason } = entry;
    const orderId = record.dynamodb?.Keys?.['OrderID']?.S ?? '';
    try {
      await park(record, reason);
      log.error('change-parked', { orderId, reason });
    } catch (error) {
      log.error('parking-failed', { orderId, reason, error: describeError(error) });
      return [place];
    }
  }
  return [];
}

function firstNewer(entries: readonly Read[], { log }: StreamConsumer): readonly number[] {
  const first = entries.findIndex(({ kind }) => kind === 'newer');
  if (first < 0) return [];
  log.warn('change-newer', { changes: entries.length - first });
  return [first];
}

function isStop(processState: ProcessState): processState is Stop {
  return processState !== 'Pending' && processState !== 'Processing';
}

/** An empty response acknowledges everything, so a failure without an identifier must throw. */
function answer(records: readonly StreamRecord[], first: number): BatchResponse {
  if (first === records.length) return { batchItemFailures: [] };
  const itemIdentifier = records[first]?.dynamodb?.SequenceNumber;
  if (itemIdentifier !== undefined) return { batchItemFailures: [{ itemIdentifier }] };
  throw new CorruptDataError(
    'stream-record-corrupt',
    'A stream record without a sequence number is not settled. See the failure queue of the notifier.',
  );
}
