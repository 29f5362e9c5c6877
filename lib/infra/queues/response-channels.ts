/** The response channels of a deployment, in the form that its functions read. */
import { Arn, ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { eventsChannel, webhookChannel } from '#aws/notifications/response-channel.ts';
import type { Settings } from '#infra/settings/settings.ts';
import type { WebhookChannel } from './webhook-channel.ts';

/** The variable that names the response channels of the deployment. */
export function responseVariable(
  scope: Construct,
  { responseQueues, eventChannels, webhooks }: Settings,
): Record<string, string> {
  const channels = [
    ...Object.entries(responseQueues).map(([name, arn]) => [name, queueUrl(arn)]),
    ...eventChannels.map((name) => [name, eventsChannel]),
    ...Object.keys(webhooks).map((name) => [name, webhookChannel]),
  ];
  return { REEVE_RESPONSE_CHANNELS: Stack.of(scope).toJsonString(Object.fromEntries(channels)) };
}

/** ARNs of the queues that the notifier sends to. */
export function responseQueues(
  { responseQueues }: Settings,
  webhooks: readonly WebhookChannel[],
): readonly string[] {
  return [...Object.values(responseQueues), ...webhooks.map(({ queue }) => queue.queueArn)];
}

/** Derives the URL of a queue from its ARN. */
function queueUrl(arn: string): string {
  const { region, account, resource } = Arn.split(arn, ArnFormat.NO_RESOURCE_NAME);
  return `https://sqs.${region}.amazonaws.com/${account}/${resource}`;
}
