/** Tells submitters by registered channels (R18) and operators by EventBridge (R17). */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type Change, statusId } from '#core/change.ts';
import { ReeveError, UnavailableError } from '#core/errors.ts';
import { statusCodec } from '#core/message-codec.ts';
import type { Publisher } from '#ports/publisher.ts';
import { alertDetail } from './alert-detail.ts';
import { alertDetailType, eventSource, statusDetailType } from './event-names.ts';
import { unavailable } from './failure.ts';
import type { ResponseChannel } from './response-channel.ts';
import { statusDetail } from './status-detail.ts';

export interface AwsPublisherOptions {
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly eventBus: string;
  /** Which Reeve speaks, where several share a bus: the name of its stack. */
  readonly deployment: string;
  /** By the name that `replyTo` gives. */
  readonly responseChannels: Readonly<Record<string, ResponseChannel>>;
}

export function awsPublisher(options: AwsPublisherOptions): Publisher {
  return {
    async respond(replyTo, change) {
      const channel = options.responseChannels[replyTo];
      switch (channel?.kind) {
        case 'queue':
          return send(options, { QueueUrl: channel.url }, change);
        case 'webhook':
          return send(options, fifo(channel.url, change), change);
        case 'events':
          return putEvent(
            options,
            statusDetailType,
            statusDetail(replyTo, change, options.deployment),
          );
        case undefined:
          throw new ReeveError(
            'reply-to-unknown',
            `No response channel ${replyTo} is registered any more. Register it and redrive the failure queue.`,
          );
      }
    },
    alert: (alert) => putEvent(options, alertDetailType, alertDetail(alert, options.deployment)),
  };
}

/** In order for each order; what the stream tells twice within minutes is taken once. */
function fifo(url: string, change: Change) {
  return {
    QueueUrl: url,
    MessageGroupId: change.orderId,
    MessageDeduplicationId: statusId(change),
  };
}

async function send(
  { sqs }: AwsPublisherOptions,
  to: { readonly QueueUrl: string },
  change: Change,
): Promise<void> {
  const command = new SendMessageCommand({ ...to, MessageBody: statusCodec.encode(change) });
  await sqs.send(command).catch((error: unknown) => {
    throw unavailable('SQS', error);
  });
}

async function putEvent(
  { eventBridge, eventBus }: AwsPublisherOptions,
  detailType: string,
  detail: object,
): Promise<void> {
  const entry = {
    EventBusName: eventBus,
    Source: eventSource,
    DetailType: detailType,
    Detail: JSON.stringify(detail),
  };
  const answer = await eventBridge
    .send(new PutEventsCommand({ Entries: [entry] }))
    .catch((error: unknown) => {
      throw unavailable('EventBridge', error);
    });
  if ((answer.FailedEntryCount ?? 0) > 0) {
    const code = answer.Entries?.[0]?.ErrorCode;
    throw new UnavailableError('event-unsent', `EventBridge did not take an event: ${code}.`);
  }
}
