/**
 * A batch of a FIFO queue of status messages or notifications: each order in sequence, different orders
 * concurrently. After the first message of an order that fails, the rest of that order is not tried. It is
 * returned to the queue, hidden for the same time, so that no message overtakes another.
 */
import type { BatchResponse, QueueEvent, QueueMessage } from '#aws/lambda-events.ts';
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { type BackOff, backOffWindowMs } from '#core/model/back-off.ts';
import { CorruptDataError, describeError, loggedText } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { DeliveryError } from '#ports/publisher.ts';
import { type Hide, receivesOf } from './hide-messages.ts';
import { deliverInOrder } from './ordered-delivery.ts';

export interface FifoConsumer<Message> {
  readonly codec: MessageCodec<Message>;
  /** Rejects when the message is to be tried again. `body`: the message as sent. */
  readonly deliver: (message: Message, body: string) => Promise<void>;
  readonly hide: Hide;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** A receiver that recovers is noticed within `maxMs`. */
const retryBackOff: BackOff = { firstMs: 5_000, maxMs: 900_000 };
/**
 * An upper bound on the Retry-After of a receiver. So all receives of a message (redelivery-queue.ts) are over within 12.5 days: the
 * queue would delete it after 14, without a dead letter.
 */
const retryAfterMaxSeconds = 2_700;

export async function deliverFifo<Message>(
  { Records: records }: QueueEvent,
  { codec, deliver, hide, clock, log }: FifoConsumer<Message>,
): Promise<BatchResponse> {
  const reasons = new Map<QueueMessage, unknown>();
  const failedAt = await deliverInOrder(
    records,
    groupOf,
    (record) => deliver(messageIn(codec, record), record.body),
    (record, error) => {
      reasons.set(record, error);
      log.warn('notification-failed', {
        orderId: orderOf(record),
        tries: receivesOf(record),
        ...waited(record, clock.now()),
        error: loggedText(error),
      });
    },
  );
  const again: QueueMessage[] = [];
  for (const place of failedAt) {
    const [failed] = records.slice(place);
    if (failed === undefined) continue;
    const rest = records.slice(place).filter((record) => groupOf(record) === groupOf(failed));
    again.push(...rest);
    try {
      const seconds = waitSeconds(receivesOf(failed), reasons.get(failed));
      await hide(rest.map((record) => ({ record, seconds })));
    } catch (error) {
      // The queue's visibility timeout then decides when they are delivered again.
      const reason = describeError(error);
      log.warn('messages-not-hidden', { orderId: orderOf(failed), error: reason });
    }
  }
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** How long the message has waited, since it was sent. */
function waited({ attributes }: QueueMessage, nowMs: number): { readonly waitedMs?: number } {
  const sentAt = Number(attributes.SentTimestamp);
  return sentAt > 0 ? { waitedMs: nowMs - sentAt } : {};
}

const groupOf = ({ attributes }: QueueMessage) => attributes.MessageGroupId ?? '';
/** The group is an order id, followed by an audience in the retry queue. */
const orderOf = (record: QueueMessage) => groupOf(record).split('/', 1)[0] ?? '';

/** Only Reeve writes to these queues: an unreadable message is left for the next deployment to read. */
function messageIn<Message>(codec: MessageCodec<Message>, { body }: QueueMessage): Message {
  const decoded = codec.decode(body);
  if (decoded.kind === 'message') return decoded.message;
  throw new CorruptDataError('message-malformed', `A message ${decoded.reason}.`);
}

function waitSeconds(tries: number, reason: unknown): number {
  const askedSeconds = reason instanceof DeliveryError ? (reason.retryAfterMs ?? 0) / 1_000 : 0;
  const backOffSeconds = backOffWindowMs(retryBackOff, tries) / 1_000;
  return Math.ceil(Math.max(backOffSeconds, Math.min(askedSeconds, retryAfterMaxSeconds)));
}
