/** Tells submitters by registered queues (R18) and operators by EventBridge (R17). */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ReeveError, UnavailableError } from '#core/errors.ts';
import { statusCodec } from '#core/message-codec.ts';
import type { Publisher } from '#ports/publisher.ts';
import { alertDetail } from './alert-detail.ts';
import { alertDetailType, eventSource } from './event-names.ts';
import { unavailable } from './failure.ts';

export interface AwsPublisherOptions {
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly eventBus: string;
  /** Which Reeve speaks, where several share a bus: the name of its stack. */
  readonly deployment: string;
  /** URLs of the response queues by the name that `replyTo` gives. */
  readonly responseQueues: Readonly<Record<string, string>>;
}

export function awsPublisher(options: AwsPublisherOptions): Publisher {
  return {
    async respond(replyTo, change) {
      const queue = options.responseQueues[replyTo];
      if (queue === undefined) {
        throw new ReeveError(
          'reply-to-unknown',
          `No response queue ${replyTo} is registered any more. Register it and redrive the failure queue.`,
        );
      }
      const command = new SendMessageCommand({
        QueueUrl: queue,
        MessageBody: statusCodec.encode(change),
      });
      await options.sqs.send(command).catch((error: unknown) => {
        throw unavailable('SQS', error);
      });
    },

    async alert(alert) {
      const command = new PutEventsCommand({
        Entries: [
          {
            EventBusName: options.eventBus,
            Source: eventSource,
            DetailType: alertDetailType,
            Detail: JSON.stringify(alertDetail(alert, options.deployment)),
          },
        ],
      });
      const answer = await options.eventBridge.send(command).catch((error: unknown) => {
        throw unavailable('EventBridge', error);
      });
      if ((answer.FailedEntryCount ?? 0) > 0) {
        const code = answer.Entries?.[0]?.ErrorCode;
        throw new UnavailableError('alert-unsent', `EventBridge did not take an alert: ${code}.`);
      }
    },
  };
}
