/**
 * A batch of the change stream. In order for each order, side by side for different ones; the first
 * record that fails is where the stream goes on next time, so that what comes after it may be told
 * twice, and never not at all.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { CorruptDataError } from '#core/errors.ts';
import type { OrderId } from '#core/ids.ts';
import type { ProcessState } from '#core/record.ts';
import type { Log } from '#ports/log.ts';
import type { Notifier } from '#roles/notifier.ts';
import { streamEntry } from './process-stream.ts';

export interface StreamConsumer {
  readonly notifier: Notifier;
  /** Deletes what belongs to process records that are gone. */
  readonly forget: (orderIds: readonly OrderId[]) => Promise<void>;
  readonly log: Log;
}

/** Where an order stops: at its end, or for a person. */
export type Stop = 'Processed' | 'Undone' | 'Error';

export interface StreamDelivery {
  readonly response: DynamoDBBatchResponse;
  /** Orders of which it was told that they stopped there. */
  readonly stopped: Readonly<Record<Stop, number>>;
}

export async function deliverStream(
  { Records: records }: DynamoDBStreamEvent,
  { notifier, forget, log }: StreamConsumer,
): Promise<StreamDelivery> {
  const stopped = { Processed: 0, Undone: 0, Error: 0 };
  const failedAt: number[] = [];
  const removed: { readonly at: number; readonly orderId: OrderId }[] = [];
  const attempt = async (at: number, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      failedAt.push(at);
      const name = error instanceof Error ? error.name : 'unknown';
      log.error('change-untold', { orderId: keyOf(records[at]), error: name });
      return false;
    }
  };
  const deliver = async (at: number, record: DynamoDBRecord) => {
    const entry = streamEntry(record);
    if (entry.kind === 'removed') removed.push({ at, orderId: entry.orderId });
    if (entry.kind !== 'changed') return;
    await notifier.onChange(entry.change);
    const { processState } = entry.change;
    if (isStop(processState)) stopped[processState] += 1;
  };

  const byOrder = Map.groupBy(records.entries(), ([, record]) => keyOf(record));
  await Promise.all(
    [...byOrder.values()].map(async (own) => {
      for (const [at, record] of own) {
        if (!(await attempt(at, () => deliver(at, record)))) return;
      }
    }),
  );
  const [first] = removed.toSorted((a, b) => a.at - b.at);
  if (first !== undefined) {
    await attempt(first.at, () => forget(removed.map(({ orderId }) => orderId)));
  }
  return { stopped, response: answer(records, failedAt) };
}

const keyOf = (record: DynamoDBRecord | undefined) => record?.dynamodb?.Keys?.['OrderID']?.S ?? '';

function isStop(processState: ProcessState): processState is Stop {
  return processState !== 'Pending' && processState !== 'Processing';
}

/** An empty answer acknowledges everything, so a failure that cannot be named must throw. */
function answer(
  records: readonly DynamoDBRecord[],
  failedAt: readonly number[],
): DynamoDBBatchResponse {
  if (failedAt.length === 0) return { batchItemFailures: [] };
  const itemIdentifier = records[Math.min(...failedAt)]?.dynamodb?.SequenceNumber;
  if (itemIdentifier !== undefined) return { batchItemFailures: [{ itemIdentifier }] };
  throw new CorruptDataError(
    'stream-record-corrupt',
    'A stream record without a sequence number failed. See the failure queue of the notifier.',
  );
}
