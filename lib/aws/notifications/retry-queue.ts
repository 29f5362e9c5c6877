/**
 * The FIFO retry queue of notifications. Each order and audience form a group: notifications for one audience
 * stay in sequence and never wait for another audience's.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type FifoPlace, sendBatch } from '#aws/queues/send-batch.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { type Notification, notificationId } from '#core/model/change.ts';
import type { Channel } from '#ports/channels.ts';
import { sendInSequence } from './sequenced-batches.ts';

/**
 * `send` rejects when any notification may not be in the queue. After one that SQS rejects, none of its group is sent: a queue keeps the order
 * in which messages come, also that of a later one which came first.
 *
 * @param queue its URL
 */
export function retryChannel(client: SQSClient, queue: string): Channel<Notification> {
  return {
    async send(notifications) {
      const messages = notifications.map((notification, place) => {
        const fifo = retryPlace(notification);
        return {
          place,
          sequenceOf: fifo.group,
          fifo,
          body: notificationCodec.encode(notification),
        };
      });
      const failed = await sendInSequence(messages, (batch) => sendBatch(client, queue, batch));
      for (const error of failed.values()) throw error;
    },
  };
}

/** SQS drops what the stream delivers again within minutes. */
export function retryPlace(notification: Notification): FifoPlace {
  const { audience, change } = notification;
  return { group: `${change.orderId}/${audience}`, id: notificationId(notification) };
}
