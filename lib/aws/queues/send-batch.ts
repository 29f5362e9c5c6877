/** SendMessageBatch: as few requests as the messages need, and which of them SQS did not take. */
import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { notTaken } from '#aws/failure.ts';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';

/** Entries of one SendMessageBatch (SQS) and of one PutEvents (EventBridge). */
const batchMax = 10;
/** Bytes of one request that any SQS and EventBridge takes: newer ones take more (their quotas). */
const batchBytesMax = 256 * 1024;
/** Tries of entries that SQS itself could not take, before the sender is told. */
const triesMax = 3;

/** A message, and for a FIFO queue its place there. */
export interface Outgoing {
  readonly body: string;
  readonly fifo?: FifoPlace;
}

export interface FifoPlace {
  /** Messages of a group are delivered one after the other: 128 characters (SQS). */
  readonly group: string;
  /** What comes twice with the same id within five minutes is taken once: 128 characters (SQS). */
  readonly id: string;
}

/** Divides into batches that one request takes, in the order given. */
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
 * Sends one batch; entries that SQS itself could not take are sent again. Gives an error for each that it
 * did not take in the end, by place.
 *
 * @throws {UnavailableError} when nothing is known of any of them
 * @throws {RefusedError} when SQS will never take this batch
 */
export async function sendBatch(
  client: SQSClient,
  queue: string,
  messages: readonly Outgoing[],
): Promise<ReadonlyMap<number, UnavailableError | RefusedError>> {
  const refused = new Map<number, UnavailableError | RefusedError>();
  let left = messages.map(({ body, fifo }, place) => ({
    Id: String(place),
    MessageBody: body,
    ...(fifo !== undefined && {
      MessageGroupId: fifo.group,
      MessageDeduplicationId: fifo.id,
    }),
  }));
  for (let tries = 1; left.length > 0; tries += 1) {
    const answer = await client
      .send(new SendMessageBatchCommand({ QueueUrl: queue, Entries: left }))
      .catch((error: unknown) => {
        throw notTaken('SQS', error);
      });
    const again = new Set<string | undefined>();
    for (const failed of answer.Failed ?? []) {
      if (failed.SenderFault || tries === triesMax) refused.set(Number(failed.Id), unsent(failed));
      else again.add(failed.Id);
    }
    left = left.filter(({ Id }) => again.has(Id));
  }
  return refused;
}

function unsent({ Code, SenderFault }: BatchResultErrorEntry): UnavailableError | RefusedError {
  const text = `SQS did not take a message: ${Code}. See the queue's policy and the message's size.`;
  return SenderFault
    ? new RefusedError('messages-unsent', text)
    : new UnavailableError('messages-unsent', text);
}
