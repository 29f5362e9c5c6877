/**
 * The retry queue of notifications: a FIFO queue, in which each order has a group for each audience, so that
 * the notifications of one audience stay in sequence and wait for nobody else's.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { FifoPlace } from '#aws/queues/send-batch.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { notificationCodec } from '#core/codec/message-codec.ts';
import { type Notification, notificationId } from '#core/model/change.ts';
import type { Channel } from '#ports/channels.ts';

/** Its URL. */
export function retryChannel(client: SQSClient, queue: string): Channel<Notification> {
  return sqsChannel({
    client,
    codec: notificationCodec,
    queueOf: () => queue,
    fifoOf: retryPlace,
  });
}

/** What the stream delivers twice within minutes is kept once. */
export function retryPlace(notification: Notification): FifoPlace {
  const { audience, change } = notification;
  return { group: `${change.orderId}/${audience}`, id: notificationId(notification) };
}
