/**
 * Hides messages that a function gives back, so that they come again after a wait of their own and not
 * after the visibility timeout of their queue, which is six times the function's timeout.
 */
import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { unavailable } from '#aws/failure.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { queueUrlOf } from './queue-url.ts';

/** A message, and for how many seconds from now it is hidden: whole, 0 to 43,200 (SQS). */
export interface Hiding {
  readonly record: SQSRecord;
  readonly seconds: number;
}

/** Of messages of one queue. @throws {UnavailableError} when some are not hidden: their queue's timeout holds */
export type Hide = (messages: readonly Hiding[]) => Promise<void>;

/** Entries of one ChangeMessageVisibilityBatch (SQS). */
const batchMax = 10;
/** Tries of entries that SQS itself could not take. */
const triesMax = 3;

export function hideMessages(client: SQSClient): Hide {
  return async (messages) => {
    for (let at = 0; at < messages.length; at += batchMax) {
      await hideBatch(client, messages.slice(at, at + batchMax));
    }
  };
}

/** How often a message was received, this time included. */
export const receivesOf = ({ attributes }: SQSRecord): number =>
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
    `SQS did not hide ${failed.length} of ${count} messages: ${code}. They come again after their queue's visibility timeout.`,
  );
}
