/**
 * Handles a batch of messages from a queue; the one place that may acknowledge. It acknowledges a message only when
 * its effect is durable, and parks one that no redelivery can help, with the reason (R19).
 */

import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { errorKind } from '#core/model/errors.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';

/** A message as received from its queue. */
export interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
}

/** How the messages of one queue are decoded, handled and parked. */
export interface QueueConsumer<Message, Carrier extends QueueMessage> {
  readonly codec: MessageCodec<Message>;
  /**
   * Returns one delivery per message, in the same order; when it rejects, the queue delivers all again.
   * `carriers[i]` is the queue's form of `messages[i]`.
   */
  readonly receive: (
    messages: readonly Message[],
    carriers: readonly Carrier[],
  ) => Promise<readonly Delivery[]>;
  /** When it resolves, the message is acknowledged. */
  readonly park: Park<Carrier>;
  readonly log: Log;
}

/** Stores a message, with the reason, where an operator finds it: on AWS, a dead-letter queue. */
export type Park<Carrier extends QueueMessage> = (
  carrier: Carrier,
  reason: string,
) => Promise<void>;

/** Returns the messages that the queue must deliver again; the others are acknowledged. */
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
    carriers.map((carrier) =>
      acknowledgeOrPark(carrier, deliveries.get(carrier) ?? retry, park, log),
    ),
  );
  return carriers.filter((_, at) => acknowledged[at] !== true);
}

const retry: Delivery = { kind: 'retry' };

/** True when the message is acknowledged. */
async function acknowledgeOrPark<Carrier extends QueueMessage>(
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
      try {
        await park(carrier, delivery.reason);
        log.error('message-parked', { messageId, reason: delivery.reason });
        return true;
      } catch (error) {
        const name = errorKind(error);
        log.error('parking-failed', { messageId, reason: delivery.reason, error: name });
        return false;
      }
  }
}
