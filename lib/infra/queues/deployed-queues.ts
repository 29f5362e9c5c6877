/** The queues of a stack, by the names that alarms, the dashboard and `reeve dlq` use. */
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import type { Notifications } from '#infra/operations/notifications.ts';
import type { PriorityQueues } from './priority-queues.ts';
import type { SubmissionQueue } from './submission-queue.ts';
import type { WebhookChannel } from './webhook-channel.ts';
import type { WorkQueue } from './work-queue.ts';

/** The constructs that have queues. */
export interface DeployedQueues {
  readonly ready: PriorityQueues;
  readonly channels: readonly AgentChannel[];
  readonly checks: WorkQueue | undefined;
  readonly webhooks: readonly WebhookChannel[];
  readonly submission: SubmissionQueue | undefined;
  readonly notifications: Notifications;
}

/** Queues that Scheduler, agents and submission consume, by their path in the stack. */
export function workQueues({
  ready,
  channels,
  checks,
  submission,
}: DeployedQueues): ReadonlyMap<string, WorkQueue> {
  const queues = [
    ...ready.all,
    ...channels.flatMap(({ requests, replies }) => [...requests.all, replies]),
    ...(checks === undefined ? [] : [checks]),
    ...(submission === undefined ? [] : [submission.submissions]),
  ];
  return new Map(queues.map((queue) => [queue.node.path.split('/').slice(1).join('-'), queue]));
}

/** With the names of lib/aws/operator/dead-letter-queues.ts. */
export function deadLetters(queues: DeployedQueues): ReadonlyMap<string, Queue> {
  const { ready, channels, checks, webhooks, submission, notifications } = queues;
  const { retries, failures, undelivered, undeliveredMail } = notifications;
  const named: [string, Queue | undefined][] = [
    ['Ready', ready.deadLetters],
    ...channels.flatMap(({ agent, requests, replies }): [string, Queue][] => [
      [`Agent-${agent}-Requests`, requests.deadLetters],
      [`Agent-${agent}-Replies`, replies.deadLetters],
    ]),
    ...webhooks.map((webhook): [string, Queue] => [
      `Webhook-${webhook.channel}`,
      webhook.deadLetters,
    ]),
    ['Checks', checks?.deadLetters],
    ['Submission', submission?.submissions.deadLetters],
    ['Notifications', retries.deadLetters],
    ['Changes', failures],
    ['Alerts', undelivered],
    ['Mail', undeliveredMail],
  ];
  return new Map(
    named.flatMap(([name, queue]): [string, Queue][] =>
      queue === undefined ? [] : [[name, queue]],
    ),
  );
}
