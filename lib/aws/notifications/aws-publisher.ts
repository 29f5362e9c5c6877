/**
 * Notifies submitters by registered response channels (R18) and operators by EventBridge (R17). Each
 * destination gets requests of its own, with up to ten notifications.
 */
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type FifoPlace, sendBatch } from '#aws/queues/send-batch.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { type Change, type Notification, statusId } from '#core/model/change.ts';
import { ReeveError } from '#core/model/errors.ts';
import { alertOf, type Publication, type Publisher } from '#ports/publisher.ts';
import { alertDetail } from './alert-detail.ts';
import { alertDetailType, statusDetailType } from './event-names.ts';
import { putEvents } from './put-events.ts';
import type { ResponseChannel } from './response-channel.ts';
import { type SequencedMessage, sendInSequence } from './sequenced-batches.ts';
import { statusDetail } from './status-detail.ts';

export interface AwsPublisherOptions {
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly eventBus: string;
  /** The name of the stack; several deployments may share a bus. */
  readonly deployment: string;
  /** The command line of this deployment, as operators type it. */
  readonly command: string;
  /** By the name that `replyTo` gives. */
  readonly responseChannels: Readonly<Record<string, ResponseChannel>>;
}

/** Sends a batch to one destination. The result has an error for each rejected message, by its index. */
type Send = (batch: readonly Addressed[]) => Promise<ReadonlyMap<number, Error>>;
interface Addressed extends SequencedMessage {
  readonly detailType: string;
  readonly fifo?: FifoPlace;
}

export function awsPublisher(options: AwsPublisherOptions): Publisher {
  return {
    async publish(notifications) {
      const results: Publication[] = notifications.map(() => ({ kind: 'delivered' }));
      const destinations = Map.groupBy(notifications.entries(), ([, notification]) =>
        destinationOf(options, notification),
      );
      await Promise.all(
        [...destinations].map(async ([destination, own]) => {
          const messages = own.map(([place, notification]) =>
            messageOf(options, place, notification),
          );
          const failed = await sendInSequence(messages, sender(options, destination));
          for (const [place, error] of failed) results[place] = { kind: 'failed', error };
        }),
      );
      return results;
    },
  };
}

/** The destination of a notification: a queue URL or the bus; null when its channel is not registered. */
const busDestination = 'events';
function destinationOf(
  { responseChannels }: AwsPublisherOptions,
  { audience, change }: Notification,
) {
  if (audience === 'operator') return busDestination;
  const channel = channelOf(responseChannels, change);
  if (channel === undefined) return null;
  return channel.kind === 'events' ? busDestination : channel.url;
}

/** A channel that was removed may have had the name of a property that every object has. */
const channelOf = (
  channels: AwsPublisherOptions['responseChannels'],
  { replyTo }: Change,
): ResponseChannel | undefined =>
  replyTo !== null && Object.hasOwn(channels, replyTo) ? channels[replyTo] : undefined;

function sender(
  { sqs, eventBridge, eventBus }: AwsPublisherOptions,
  destination: string | null,
): Send {
  if (destination === null) {
    return async () => {
      throw new ReeveError(
        'reply-to-unknown',
        'The response channel of an order is no longer registered. Register it again: its undelivered messages are kept and retried.',
      );
    };
  }
  if (destination !== busDestination) return (batch) => sendBatch(sqs, destination, batch);
  return (batch) =>
    putEvents(
      eventBridge,
      eventBus,
      batch.map(({ detailType, body }) => ({ detailType, detail: body })),
    );
}

function messageOf(
  { responseChannels, deployment, command }: AwsPublisherOptions,
  place: number,
  { audience, change }: Notification,
): Addressed {
  const common = { place, sequenceOf: change.orderId };
  if (audience === 'operator') {
    const body = JSON.stringify(alertDetail(alertOf(change, command), deployment));
    return {
      ...common,
      sequenceOf: `${change.orderId} ${audience}`,
      detailType: alertDetailType,
      body,
    };
  }
  const channel = channelOf(responseChannels, change);
  const detailType = statusDetailType;
  if (channel?.kind === 'events') {
    const detail = statusDetail(change.replyTo ?? '', change, deployment);
    return { ...common, detailType, body: JSON.stringify(detail) };
  }
  const body = statusCodec.encode(change);
  // In sequence for each order; SQS drops what the stream delivers again within minutes.
  const fifo = { group: change.orderId, id: statusId(change) };
  return { ...common, detailType, body, ...(channel?.kind === 'webhook' && { fifo }) };
}
