/**
 * A batch from a queue, with an answer for each message: the one place that may acknowledge. No message
 * is acknowledged whose effect is not durable; one that no redelivery helps is parked with the reason
 * (R19).
 */

import type { MessageCodec } from '#core/codec/message-codec.ts';
import { errorKind } from '#core/model/errors.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';

/** A message as its queue hands it over. */
export interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
}

export interface QueueConsumer<Message, Carrier extends QueueMessage> {
  readonly codec: MessageCodec<Message>;
  /**
   * One delivery for each message, in place; when it rejects, all are delivered again. `letters`: how
   * each message came, in place.
   */
  readonly receive: (
    messages: readonly Message[],
    carriers: readonly Carrier[],
  ) => Promise<readonly Delivery[]>;
  /** Puts the message where a person finds it, with the reason; it is then acknowledged. */
  readonly park: Park<Carrier>;
  readonly log: Log;
}

export type Park<Carrier extends QueueMessage> = (
  carrier: Carrier,
  reason: string,
) => Promise<void>;

/** Gives those that the queue must deliver again; it may forget the others. */
export async function deliverMessages<Message, Carrier extends QueueMessage>(
  carriers: readonly Carrier[],
  { codec, receive, park, log }: QueueConsumer<Message, Carrier>,
): Promise<readonly Carrier[]> {
  const deliveries = new Map<Carrier, Delivery>();
  const readable: { readonly carrier: Carrier; readonly message: Message }[] = [];
  for (const carrier of carriers) {
    const decoded = codec.decode(carrier.body);
    switch (decoded.kind) {
      case 'message':
        readable.push({ carrier, message: decoded.message });
        break;
      case 'malformed':
        deliveries.set(carrier, { kind: 'park', reason: decoded.reason });
        break;
      case 'newer':
        log.warn('message-newer', { messageId: carrier.messageId, reason: decoded.reason });
        deliveries.set(carrier, retry);
    }
  }
  if (readable.length > 0) {
    try {
      const outcomes = await receive(
        readable.map(({ message }) => message),
        readable.map(({ carrier }) => carrier),
      );
      for (const [at, { carrier }] of readable.entries()) {
        deliveries.set(carrier, outcomes[at] ?? retry);
      }
    } catch (error) {
      log.error('batch-failed', { error: errorKind(error) });
    }
  }
  const acknowledged = await Promise.all(
    carriers.map((carrier) => settled(carrier, deliveries.get(carrier) ?? retry, park, log)),
  );
  return carriers.filter((_, at) => acknowledged[at] !== true);
}

const retry: Delivery = { kind: 'retry' };

/** Whether the queue may forget the message. */
async function settled<Carrier extends QueueMessage>(
  carrier: Carrier,
  delivery: Delivery,
  park: Park<Carrier>,
  log: Log,
): Promise<boolean> {
  const { messageId } = carrier;
  switch (delivery.kind) {
    case 'done':
      return true;
    case 'retry':
      return false;
    case 'park':
      log.error('message-parked', { messageId, reason: delivery.reason });
      try {
        await park(carrier, delivery.reason);
        return true;
      } catch (error) {
        const name = errorKind(error);
        log.error('parking-failed', { messageId, error: name });
        return false;
      }
  }
}
