/** The queues of a deployment, by the names that alarms, the dashboard and `reeve dlq` use. */
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import { pathInDeployment } from '#infra/deployment/deployment.ts';
import type { Notifications } from '#infra/operations/notifications.ts';
import type { PriorityQueues } from './priority-queues.ts';
import type { SubmissionQueue } from './submission-queue.ts';
import type { WebhookChannel } from './webhook-channel.ts';
import type { WorkQueue } from './work-queue.ts';

/** The constructs that have queues, without those of agents. */
export interface DeployedQueues {
  readonly ready: PriorityQueues;
  readonly checks: WorkQueue | undefined;
  readonly webhooks: readonly WebhookChannel[];
  readonly submission: SubmissionQueue | undefined;
  readonly notifications: Notifications;
}

/** Queues that Scheduler, Supervisor and submission consume, by their path in the deployment. */
export const workQueues = ({
  ready,
  checks,
  submission,
}: DeployedQueues): ReadonlyMap<string, WorkQueue> =>
  byPath([
    ...ready.all,
    ...(checks === undefined ? [] : [checks]),
    ...(submission === undefined ? [] : [submission.submissions]),
  ]);

/** The queues of an agent, by their path in the deployment. */
export const agentQueues = ({ requests, replies }: AgentChannel): ReadonlyMap<string, WorkQueue> =>
  byPath([...requests.all, replies]);

const byPath = (queues: readonly WorkQueue[]) =>
  new Map(queues.map((queue) => [pathInDeployment(queue).join('-'), queue]));

/** With the names of lib/aws/operator/dead-letter-queues.ts. */
export function deadLetters(queues: DeployedQueues): ReadonlyMap<string, Queue> {
  const { ready, checks, webhooks, submission, notifications } = queues;
  const { retries, failures, undelivered, undeliveredMail } = notifications;
  const named: [string, Queue | undefined][] = [
    ['Ready', ready.deadLetters],
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

/** The dead letters of an agent, with the names of lib/aws/operator/dead-letter-queues.ts. */
export const agentDeadLetters = ({
  agent,
  requests,
  replies,
}: AgentChannel): ReadonlyMap<string, Queue> =>
  new Map([
    [`Agent-${agent}-Requests`, requests.deadLetters],
    [`Agent-${agent}-Replies`, replies.deadLetters],
  ]);
