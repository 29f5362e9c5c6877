/** The outputs of the stack, for callers, operators and agents that run elsewhere. */
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { FrontDoor } from '#infra/access/front-door.ts';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import type { DeployedQueues } from '#infra/queues/deployed-queues.ts';
import { queuesAt } from '#infra/queues/queue-prefix.ts';
import type { Settings } from '#infra/settings/settings.ts';

/** The parts that the outputs name. */
export interface OutputsProps extends DeployedQueues {
  readonly settings: Settings;
  readonly frontDoor: FrontDoor;
}

/** Adds the outputs of the stack, which `reeve --stack` and other programs read. */
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
    out('CallerPolicies', 'Policies for the roles of callers', value);
  }
  for (const channel of channels) agentOutput(stack, channel);
}

/** In the form that lib/aws/operator/dead-letter-queues.ts reads; all queue names follow from it. */
function deadLettersOf(
  stack: Stack,
  { settings, ready, channels, checks, submission, notifications }: OutputsProps,
): string {
  const [one] = ready.all;
  return stack.toJsonString({
    queues: one === undefined ? '' : queuesAt(one.queue.queueUrl),
    priorities: ready.priorities,
    agents: channels.map(({ agent }) => agent),
    webhooks: Object.keys(settings.webhooks),
    checks: checks !== undefined,
    submission: submission !== undefined,
    mail: notifications.undeliveredMail !== undefined,
  });
}

/** The output for an agent that runs elsewhere and for the administrator of its role. */
function agentOutput(stack: Stack, { agent, requests, replies, consumer }: AgentChannel): void {
  if (consumer.kind === 'function') return;
  new CfnOutput(stack, outputOf(agent), {
    description: `Agent ${agent}, which runs elsewhere: its queues, and the policy for its role`,
    value: stack.toJsonString({
      requests: requests.urls,
      replies: replies.queue.queueUrl,
      policy: consumer.policy.managedPolicyArn,
    }),
  });
}

/** `gift-wrapping` becomes AgentGiftWrapping, because output names allow letters and digits only. */
const outputOf = (agent: string) =>
  ['agent', ...agent.split('-')]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
