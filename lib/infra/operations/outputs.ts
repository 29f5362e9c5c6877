/** The outputs of the stack: what callers, operators and agents that run elsewhere must know. */
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { FrontDoor } from '#infra/access/front-door.ts';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import type { DeployedQueues } from '#infra/queues/deployed-queues.ts';
import { queuesAt } from '#infra/queues/queue-prefix.ts';
import type { Settings } from '#infra/settings/settings.ts';

export interface OutputsProps extends DeployedQueues {
  readonly settings: Settings;
  readonly frontDoor: FrontDoor;
}

export function outputs(stack: Stack, props: OutputsProps): void {
  const { frontDoor, notifications, submission, channels } = props;
  const out = (id: string, description: string, value: string) =>
    new CfnOutput(stack, id, { description, value });
  out('ApiUrl', 'Where orders are submitted', frontDoor.api.apiEndpoint);
  out(
    'OperatorTopic',
    'Subscribe to receive alarms and orders in Error',
    notifications.operators.topicArn,
  );
  out(
    'DeadLetters',
    'What `reeve dlq` reads: how the queues are named',
    deadLettersOf(stack, props),
  );
  if (submission !== undefined) {
    const { queueUrl } = submission.submissions.queue;
    out('SubmissionQueueUrl', 'Where submissions can be sent', queueUrl);
  }
  const { policies } = frontDoor;
  if (policies.size > 0) {
    const arns = [...policies].map(([name, { managedPolicyArn }]) => [name, managedPolicyArn]);
    const value = stack.toJsonString(Object.fromEntries(arns));
    out('CallerPolicies', 'For the roles of callers: what each may do', value);
  }
  for (const channel of channels) agentOutput(stack, channel);
}

/** As lib/aws/operator/dead-letter-queues.ts reads it: the names of all queues follow from it. */
function deadLettersOf(
  stack: Stack,
  { settings, ready, channels, submission, notifications }: OutputsProps,
): string {
  const [one] = ready.all;
  return stack.toJsonString({
    queues: one === undefined ? '' : queuesAt(one.queue.queueUrl),
    priorities: ready.priorities,
    agents: channels.map(({ agent }) => agent),
    webhooks: Object.keys(settings.webhooks),
    submission: submission !== undefined,
    mail: notifications.unmailed !== undefined,
  });
}

/** What an agent that runs elsewhere, and whoever gives it its role, must know. */
function agentOutput(stack: Stack, { agent, requests, replies, workedOff }: AgentChannel): void {
  if (workedOff.kind === 'function') return;
  new CfnOutput(stack, outputOf(agent), {
    description: `Agent ${agent}, which runs elsewhere: its queues, and the policy for its role`,
    value: stack.toJsonString({
      requests: requests.urls,
      replies: replies.queue.queueUrl,
      policy: workedOff.policy.managedPolicyArn,
    }),
  });
}

/** `gift-wrapping` is AgentGiftWrapping: names of outputs have letters and digits alone. */
const outputOf = (agent: string) =>
  ['agent', ...agent.split('-')]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
