/**
 * A batch from a queue, with an answer for each message: the one place that may acknowledge. No message
 * is acknowledged whose effect is not durable; one that no redelivery helps is parked with the reason
 * (R19). An empty or missing answer would acknowledge the whole batch, so the type leaves none.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { MessageCodec } from '#core/message-codec.ts';
import type { Log } from '#ports/log.ts';
import type { Delivery } from '#roles/delivery.ts';

export interface QueueConsumer<Message> {
  readonly codec: MessageCodec<Message>;
  /** One delivery for each message, in place; when it rejects, all are delivered again. */
  readonly receive: (messages: readonly Message[]) => Promise<readonly Delivery[]>;
  /** Puts the message where a person finds it, with the reason; it is then acknowledged. */
  readonly park: ParkMessage;
  readonly log: Log;
}

export type ParkMessage = (record: SQSRecord, reason: string) => Promise<void>;

export async function deliverBatch<Message>(
  { Records: records }: SQSEvent,
  { codec, receive, park, log }: QueueConsumer<Message>,
): Promise<SQSBatchResponse> {
  const deliveries = new Map<SQSRecord, Delivery>();
  const readable: { readonly record: SQSRecord; readonly message: Message }[] = [];
  for (const record of records) {
    const decoded = codec.decode(record.body);
    if (decoded.kind === 'message') readable.push({ record, message: decoded.message });
    else deliveries.set(record, { kind: 'park', reason: decoded.reason });
  }
  if (readable.length > 0) {
    try {
      const outcomes = await receive(readable.map(({ message }) => message));
      for (const [at, { record }] of readable.entries()) {
        deliveries.set(record, outcomes[at] ?? retry);
      }
    } catch (error) {
      log.error('batch-failed', { error: error instanceof Error ? error.name : 'unknown' });
    }
  }
  const acknowledged = await Promise.all(
    records.map((record) => settled(record, deliveries.get(record) ?? retry, park, log)),
  );
  return {
    batchItemFailures: records
      .filter((_, at) => acknowledged[at] !== true)
      .map(({ messageId }) => ({ itemIdentifier: messageId })),
  };
}

const retry: Delivery = { kind: 'retry' };

/** Whether the queue may forget the message. */
async function settled(
  record: SQSRecord,
  delivery: Delivery,
  park: ParkMessage,
  log: Log,
): Promise<boolean> {
  const { messageId } = record;
  switch (delivery.kind) {
    case 'done':
      return true;
    case 'retry':
      return false;
    case 'park':
      log.error('message-parked', { messageId, reason: delivery.reason });
      try {
        await park(record, delivery.reason);
        return true;
      } catch (error) {
        log.error('parking-failed', {
          messageId,
          error: error instanceof Error ? error.name : 'unknown',
        });
        return false;
      }
  }
}
