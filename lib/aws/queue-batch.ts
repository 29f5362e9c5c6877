/** A batch of an SQS queue as a function is given it, and the answer that SQS understands. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliverLetters, type Park, type QueueConsumer } from '#roles/queue-delivery.ts';

export type ParkMessage = Park<SQSRecord>;

/** An empty or missing answer would acknowledge the whole batch, so the type leaves none. */
export async function deliverBatch<Message>(
  { Records: records }: SQSEvent,
  consumer: QueueConsumer<Message, SQSRecord>,
): Promise<SQSBatchResponse> {
  const again = await deliverLetters(records, consumer);
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
