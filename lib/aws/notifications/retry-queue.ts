/**
 * The FIFO retry queue of notifications. Each order and audience form a group: notifications for one audience
 * stay in sequence and never wait for another audience's.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { FifoPlace } from '#aws/queues/send-batch.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { type Notification, notificationId } from '#core/model/change.ts';
import type { Channel } from '#ports/channels.ts';

/** @param queue its URL */
export function retryChannel(client: SQSClient, queue: string): Channel<Notification> {
  return sqsChannel({
    client,
    codec: notificationCodec,
    queueOf: () => queue,
    fifoOf: retryPlace,
  });
}

/** SQS drops what the stream delivers again within minutes. */
export function retryPlace(notification: Notification): FifoPlace {
  const { audience, change } = notification;
  return { group: `${change.orderId}/${audience}`, id: notificationId(notification) };
}
