/** SendMessageBatch: as few requests as possible, and the messages that SQS rejected. */
import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { notTaken } from '#aws/failure.ts';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import { batchMax, sendEntries } from './batch-entries.ts';

/** Bytes per request that every SQS and EventBridge endpoint accepts; newer quotas are higher. */
const batchBytesMax = 256 * 1024;

/** A message, with its delay, or with its group and id for a FIFO queue. */
export interface Outgoing {
  readonly body: string;
  readonly fifo?: FifoPlace;
  /** How long the queue hides the message first, s; for standard queues only (SQS). */
  readonly delaySeconds?: number;
}

export interface FifoPlace {
  /** Messages of a group are delivered one after the other. At most 128 characters (SQS). */
  readonly group: string;
  /** SQS drops a second message with the same id within five minutes. At most 128 characters (SQS). */
  readonly id: string;
}

/** Splits into batches that fit one request each, in the given order. */
export function inBatches<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  let current: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (current.length === batchMax || (current.length > 0 && bytes + size > batchBytesMax)) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += size;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

/**
 * Sends one batch and retries entries that fail on the side of SQS. Returns the final error of each rejected
 * message, by its index.
 *
 * @throws {UnavailableError} when the outcome is unknown for all messages
 * @throws {RefusedError} when SQS will never accept this batch
 */
export async function sendBatch(
  client: SQSClient,
  queue: string,
  messages: readonly Outgoing[],
): Promise<ReadonlyMap<number, UnavailableError | RefusedError>> {
  const entries = messages.map(({ body, fifo, delaySeconds = 0 }, place) => ({
    Id: String(place),
    MessageBody: body,
    ...(fifo !== undefined && {
      MessageGroupId: fifo.group,
      MessageDeduplicationId: fifo.id,
    }),
    ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
  }));
  const rejected = await sendEntries(entries, (Entries) =>
    client
      .send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }))
      .catch((error: unknown) => {
        throw notTaken('SQS', error);
      }),
  );
  return new Map(rejected.map((failed) => [Number(failed.Id), unsent(failed)]));
}

function unsent({ Code, SenderFault }: BatchResultErrorEntry): UnavailableError | RefusedError {
  const text = `SQS rejected a message: ${Code}. See the queue's policy and the message's size.`;
  return SenderFault
    ? new RefusedError('messages-unsent', text)
    : new UnavailableError('messages-unsent', text);
}
