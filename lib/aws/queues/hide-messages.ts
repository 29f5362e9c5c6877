/**
 * Hides messages that a function returns to their queue. They are then delivered again after a delay of their
 * own, instead of the queue's visibility timeout, which is six times the function's timeout.
 */
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { unavailable } from '#aws/failure.ts';
import type { QueueMessage } from '#aws/lambda-events.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { batchMax, sendEntries } from './batch-entries.ts';
import { queueUrlOf } from './queue-url.ts';

/** A message and the whole seconds from now for which it is hidden, 0 to 43,200 (SQS). */
export interface Hiding {
  readonly record: QueueMessage;
  readonly seconds: number;
}

/**
 * Hides messages of one queue. @throws {UnavailableError} when some are not hidden and their queue's timeout
 * applies
 */
export type Hide = (messages: readonly Hiding[]) => Promise<void>;

export function hideMessages(client: SQSClient): Hide {
  return async (messages) => {
    for (let at = 0; at < messages.length; at += batchMax) {
      await hideBatch(client, messages.slice(at, at + batchMax));
    }
  };
}

/** How often a message was received, including this time. */
export const receivesOf = ({ attributes }: QueueMessage): number =>
  Number(attributes.ApproximateReceiveCount);

async function hideBatch(client: SQSClient, messages: readonly Hiding[]): Promise<void> {
  const [first] = messages;
  if (first === undefined) return;
  const QueueUrl = queueUrlOf(first.record.eventSourceARN);
  const entries = messages.map(({ record, seconds }, at) => ({
    Id: String(at),
    ReceiptHandle: record.receiptHandle,
    VisibilityTimeout: seconds,
  }));
  const rejected = await sendEntries(entries, (Entries) =>
    client
      .send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }))
      .catch((error: unknown) => {
        throw unavailable('SQS', error);
      }),
  );
  const [failed] = rejected;
  if (failed === undefined) return;
  throw new UnavailableError(
    'messages-not-hidden',
    `SQS did not hide ${rejected.length} of ${messages.length} messages: ${failed.Code}. They are delivered again after their queue's visibility timeout.`,
  );
}
