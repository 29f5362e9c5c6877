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
export interface Letter {
  readonly messageId: string;
  readonly body: string;
}

export interface QueueConsumer<Message, Carrier extends Letter> {
  readonly codec: MessageCodec<Message>;
  /**
   * One delivery for each message, in place; when it rejects, all are delivered again. `letters`: how
   * each message came, in place.
   */
  readonly receive: (
    messages: readonly Message[],
    letters: readonly Carrier[],
  ) => Promise<readonly Delivery[]>;
  /** Puts the message where a person finds it, with the reason; it is then acknowledged. */
  readonly park: Park<Carrier>;
  readonly log: Log;
}

export type Park<Carrier extends Letter> = (letter: Carrier, reason: string) => Promise<void>;

/** Gives those that the queue must deliver again; it may forget the others. */
export async function deliverLetters<Message, Carrier extends Letter>(
  letters: readonly Carrier[],
  { codec, receive, park, log }: QueueConsumer<Message, Carrier>,
): Promise<readonly Carrier[]> {
  const deliveries = new Map<Carrier, Delivery>();
  const readable: { readonly letter: Carrier; readonly message: Message }[] = [];
  for (const letter of letters) {
    const decoded = codec.decode(letter.body);
    switch (decoded.kind) {
      case 'message':
        readable.push({ letter, message: decoded.message });
        break;
      case 'malformed':
        deliveries.set(letter, { kind: 'park', reason: decoded.reason });
        break;
      case 'newer':
        log.warn('message-newer', { messageId: letter.messageId, reason: decoded.reason });
        deliveries.set(letter, retry);
    }
  }
  if (readable.length > 0) {
    try {
      const outcomes = await receive(
        readable.map(({ message }) => message),
        readable.map(({ letter }) => letter),
      );
      for (const [at, { letter }] of readable.entries()) {
        deliveries.set(letter, outcomes[at] ?? retry);
      }
    } catch (error) {
      log.error('batch-failed', { error: errorKind(error) });
    }
  }
  const acknowledged = await Promise.all(
    letters.map((letter) => settled(letter, deliveries.get(letter) ?? retry, park, log)),
  );
  return letters.filter((_, at) => acknowledged[at] !== true);
}

const retry: Delivery = { kind: 'retry' };

/** Whether the queue may forget the message. */
async function settled<Carrier extends Letter>(
  letter: Carrier,
  delivery: Delivery,
  park: Park<Carrier>,
  log: Log,
): Promise<boolean> {
  const { messageId } = letter;
  switch (delivery.kind) {
    case 'done':
      return true;
    case 'retry':
      return false;
    case 'park':
      log.error('message-parked', { messageId, reason: delivery.reason });
      try {
        await park(letter, delivery.reason);
        return true;
      } catch (error) {
        const name = errorKind(error);
        log.error('parking-failed', { messageId, error: name });
        return false;
      }
  }
}
