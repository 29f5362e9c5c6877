/** A batch of the Processes table's change stream, and the answer that the stream understands. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { CorruptDataError } from '#core/errors.ts';
import type { OrderId } from '#core/ids.ts';
import type { ProcessState } from '#core/record.ts';
import type { Log } from '#ports/log.ts';
import type { Notifier } from '#roles/notifier.ts';
import { deliverInOrder } from '#roles/stream-delivery.ts';
import { streamEntry } from './process-stream.ts';

export interface StreamConsumer {
  readonly notifier: Pick<Notifier, 'onChange'>;
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
  const removed: { readonly place: number; readonly orderId: OrderId }[] = [];
  const deliver = async (record: DynamoDBRecord, place: number) => {
    const entry = streamEntry(record);
    if (entry.kind === 'removed') removed.push({ place, orderId: entry.orderId });
    if (entry.kind !== 'changed') return;
    await notifier.onChange(entry.change);
    const { processState } = entry.change;
    if (isStop(processState)) stopped[processState] += 1;
  };
  const untold = (record: DynamoDBRecord | undefined, error: unknown) =>
    log.error('change-untold', {
      orderId: keyOf(record),
      error: error instanceof Error ? error.name : 'unknown',
    });

  const failedAt = [...(await deliverInOrder(records, keyOf, deliver, untold))];
  const [first] = removed.toSorted((a, b) => a.place - b.place);
  if (first !== undefined) {
    try {
      await forget(removed.map(({ orderId }) => orderId));
    } catch (error) {
      failedAt.push(first.place);
      untold(records[first.place], error);
    }
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
