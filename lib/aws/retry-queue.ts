/**
 * The retry queue of notifications: a FIFO queue, in which each order has a group for each audience, so that
 * the notifications of one audience stay in sequence and wait for nobody else's.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Notification, notificationId } from '#core/change.ts';
import { notificationCodec } from '#core/message-codec.ts';
import type { Channel } from '#ports/channels.ts';
import type { FifoPlace } from './send-batch.ts';
import { sqsChannel } from './sqs-channel.ts';

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
