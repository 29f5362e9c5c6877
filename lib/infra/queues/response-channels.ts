/** The response channels of a deployment, in the form that its functions read. */
import { Stack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { eventsChannel, webhookChannel } from '#aws/notifications/response-channel.ts';
import { allowKey } from '#infra/access/key-right.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';

/** The response channels by the names that `replyTo` gives. */
export interface ResponseChannels {
  readonly responseQueues: Readonly<Record<string, IQueue>>;
  readonly eventChannels: readonly string[];
  readonly webhooks: Readonly<Record<string, unknown>>;
}

/** The variable that names the response channels of the deployment. */
export function responseVariable(
  scope: Construct,
  { responseQueues, eventChannels, webhooks }: ResponseChannels,
): Record<string, string> {
  const channels = [
    ...Object.entries(responseQueues).map(([name, { queueUrl }]) => [name, queueUrl]),
    ...eventChannels.map((name) => [name, eventsChannel]),
    ...Object.keys(webhooks).map((name) => [name, webhookChannel]),
  ];
  return { REEVE_RESPONSE_CHANNELS: Stack.of(scope).toJsonString(Object.fromEntries(channels)) };
}

/** Allows the notifier to send to these queues, and to use their keys for it. */
export function allowResponses(to: ReeveFunction, queues: readonly IQueue[]): void {
  if (queues.length > 0) to.allow(['sqs:SendMessage'], ...queues.map(({ queueArn }) => queueArn));
  for (const { encryptionMasterKey: key } of queues) {
    // A sender generates a data key and verifies it (SQS, Key management).
    if (key !== undefined) allowKey(to, key, 'sqs', ['kms:Decrypt', 'kms:GenerateDataKey']);
  }
}
