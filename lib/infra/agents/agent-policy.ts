/** The permissions of an agent that runs elsewhere: to receive its requests and send its replies. */
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { PriorityQueues } from '#infra/queues/priority-queues.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';

/** Allows one role to receive and delete the requests of an agent, and to send its replies. */
export function agentPolicy(
  scope: Construct,
  agent: string,
  requests: PriorityQueues,
  replies: WorkQueue,
): ManagedPolicy {
  return new ManagedPolicy(scope, 'Policy', {
    description: `For the role of agent ${agent} of Reeve: takes its requests and sends its replies`,
    statements: [
      new PolicyStatement({
        effect: Effect.ALLOW,
        // ChangeMessageVisibility is for work that takes longer than the visibility timeout.
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
        resources: requests.all.map(({ queue }) => queue.queueArn),
      }),
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['sqs:SendMessage'],
        resources: [replies.queue.queueArn],
      }),
    ],
  });
}
