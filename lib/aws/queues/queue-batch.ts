/**
 * A batch of an SQS queue as a function is given it, and the answer that SQS understands. What is to
 * come again is hidden for seconds that grow with the receives: the visibility timeout of its queue is
 * longer than most steps may take.
 */

import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { describeError } from '#core/model/errors.ts';
import type { Random } from '#ports/random.ts';
import { redeliverAfterMs } from '#roles/delays.ts';
import { deliverMessages, type Park, type QueueConsumer } from '#roles/queue-delivery.ts';
import { type Hide, receivesOf } from './hide-messages.ts';

export type ParkMessage = Park<SQSRecord>;

export interface BatchConsumer<Message> extends QueueConsumer<Message, SQSRecord> {
  readonly hide: Hide;
  readonly random: Random;
}

/** An empty or missing answer would acknowledge the whole batch, so the type leaves none. */
export async function deliverBatch<Message>(
  { Records: records }: SQSEvent,
  consumer: BatchConsumer<Message>,
): Promise<SQSBatchResponse> {
  const again = await deliverMessages(records, consumer);
  if (again.length > 0) await hideAll(again, consumer);
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function hideAll<Message>(
  records: readonly SQSRecord[],
  { hide, random, log }: BatchConsumer<Message>,
): Promise<void> {
  try {
    await hide(
      records.map((record) => ({
        record,
        seconds: Math.round(redeliverAfterMs(receivesOf(record), random) / 1_000),
      })),
    );
  } catch (error) {
    // They come again all the same, when the visibility timeout of their queue is over.
    const reason = describeError(error);
    log.warn('messages-not-hidden', { messages: records.length, error: reason });
  }
}
