/**
 * A batch of an SQS queue and the response to SQS. Messages to be retried are hidden for a time that grows
 * with their receive count, because the queue's visibility timeout exceeds the deadline of most steps.
 */

import type { BatchResponse, QueueEvent, QueueMessage } from '#aws/lambda-events.ts';
import { describeError } from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';
import type { Random } from '#ports/random.ts';
import { redeliverAfterMs } from '#roles/delays.ts';
import { deliverMessages, type Park, type QueueConsumer } from '#roles/queue-delivery.ts';
import { type Hide, receivesOf } from './hide-messages.ts';

export type ParkMessage = Park<QueueMessage>;

export interface BatchConsumer<Message> extends QueueConsumer<Message, QueueMessage> {
  readonly hide: Hide;
  readonly random: Random;
}

/** An empty or missing response would acknowledge the whole batch, so the type requires one. */
export async function deliverBatch<Message>(
  { Records: records }: QueueEvent,
  consumer: BatchConsumer<Message>,
): Promise<BatchResponse> {
  const again = await deliverMessages(records, consumer);
  if (again.length > 0) await hideAll(again, consumer);
  reportOften(again, consumer.log);
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** So often is a message received in about two minutes (`redeliverAfterMs`): SQS leaves it out of the age of the oldest message by then. */
const oftenReceives = 10;

function reportOften(returned: readonly QueueMessage[], log: Log): void {
  const often = returned.filter((record) => receivesOf(record) >= oftenReceives);
  const [first] = often;
  if (first === undefined) return;
  const queue = first.eventSourceARN.slice(first.eventSourceARN.lastIndexOf(':') + 1);
  const receives = Math.max(...often.map(receivesOf));
  log.warn('messages-returned', { queue, messages: often.length, receives });
}

async function hideAll<Message>(
  records: readonly QueueMessage[],
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
    // They are delivered again after the visibility timeout of their queue.
    const reason = describeError(error);
    log.warn('messages-not-hidden', { messages: records.length, error: reason });
  }
}
