/**
 * Hides messages that a function returns to their queue. They are then delivered again after a delay of their
 * own, instead of the queue's visibility timeout, which is six times the function's timeout.
 */
import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { unavailable } from '#aws/failure.ts';
import type { QueueMessage } from '#aws/lambda-events.ts';
import { UnavailableError } from '#core/model/errors.ts';
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

/** Entries of one ChangeMessageVisibilityBatch (SQS). */
const batchMax = 10;
/** Tries of entries that fail on the side of SQS. */
const triesMax = 3;

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
  let left = messages.map(({ record, seconds }, at) => ({
    Id: String(at),
    ReceiptHandle: record.receiptHandle,
    VisibilityTimeout: seconds,
  }));
  for (let tries = 1; left.length > 0; tries += 1) {
    const answer = await client
      .send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: left }))
      .catch((error: unknown) => {
        throw unavailable('SQS', error);
      });
    const failed = answer.Failed ?? [];
    if (failed.length > 0) assertTryAgain(failed, tries, messages.length);
    const ids = new Set(failed.map(({ Id }) => Id));
    left = left.filter(({ Id }) => ids.has(Id));
  }
}

function assertTryAgain(failed: BatchResultErrorEntry[], tries: number, count: number): void {
  const refused = failed.find(({ SenderFault }) => SenderFault);
  if (refused === undefined && tries < triesMax) return;
  const code = (refused ?? failed[0])?.Code;
  throw new UnavailableError(
    'messages-not-hidden',
    `SQS did not hide ${failed.length} of ${count} messages: ${code}. They are delivered again after their queue's visibility timeout.`,
  );
}
