/** The outputs of a deployment, for callers, operators and agents that run elsewhere. */
import { CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ReeveError } from '#core/model/errors.ts';
import type { FrontDoor } from '#infra/access/front-door.ts';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import { deploymentOf, pathInStack } from '#infra/deployment/deployment.ts';
import type { DeployedQueues } from '#infra/queues/deployed-queues.ts';
import { queuesAt } from '#infra/queues/queue-prefix.ts';
import { addressesOutput } from '#text/addresses-output.ts';

/** The parts that the outputs name. */
export interface OutputsProps extends DeployedQueues {
  /** The address of the API. */
  readonly apiUrl: string;
  readonly frontDoor: FrontDoor;
  /** Also those that are added later. */
  readonly channels: readonly AgentChannel[];
}

interface Output {
  readonly name: string;
  readonly description: string;
  readonly value: string;
}

/**
 * Adds the outputs, which `reeve --stack` and other programs read. Where the deployment is the stack, each has its name. In the
 * stack of another application the CDK would add a digest to each name, so that they are one output, as JSON.
 */
export function outputs(scope: Construct, props: OutputsProps): void {
  const all = outputsOf(scope, props);
  const path = pathInStack(scope);
  if (path.length === 0) {
    for (const { name, ...output } of all) new CfnOutput(scope, name, output);
    return;
  }
  const { reference } = deploymentOf(scope);
  const values = all.map(({ name, value }) => [name, value]);
  const output = new CfnOutput(scope, 'Addresses', {
    // CloudFormation takes no function here, and in a nested stack the reference has the name of the stack.
    description: `What reeve --stack reads of ${path.join('/')}`,
    value: Stack.of(scope).toJsonString({ Reeve: reference, ...Object.fromEntries(values) }),
  });
  output.overrideLogicalId(addressesOutput(path));
}

function outputsOf(scope: Construct, props: OutputsProps): readonly Output[] {
  const { apiUrl, frontDoor, notifications, submission } = props;
  const { policies } = frontDoor;
  const arns = [...policies].map(([name, { managedPolicyArn }]) => [name, managedPolicyArn]);
  return [
    { name: 'ApiUrl', description: 'Where orders are submitted', value: apiUrl },
    {
      name: 'OperatorTopic',
      description: 'Subscribe to receive alarms and orders in Error',
      value: notifications.operators.topicArn,
    },
    {
      name: 'DeadLetters',
      description: 'What `reeve dlq` reads: how the queues are named',
      value: deadLettersOf(Stack.of(scope), props),
    },
    ...(submission === undefined
      ? []
      : [
          {
            name: 'SubmissionQueueUrl',
            description: 'Where submissions can be sent',
            value: submission.submissions.queue.queueUrl,
          },
        ]),
    ...(policies.size === 0
      ? []
      : [
          {
            name: 'CallerPolicies',
            description: 'Policies for the roles of callers',
            value: Stack.of(scope).toJsonString(Object.fromEntries(arns)),
          },
        ]),
  ];
}

/** In the form that lib/aws/operator/dead-letter-queues.ts reads; all queue names follow from it. */
function deadLettersOf(
  stack: Stack,
  { ready, channels, webhooks, checks, submission, notifications }: OutputsProps,
): string {
  const [one] = ready.all;
  return stack.toJsonString({
    queues: one === undefined ? '' : queuesAt(one.queue.queueUrl),
    priorities: ready.priorities,
    agents: Lazy.any({ produce: () => channels.map(({ agent }) => agent) }),
    webhooks: webhooks.map(({ channel }) => channel),
    checks: checks !== undefined,
    submission: submission !== undefined,
    mail: notifications.undeliveredMail !== undefined,
  });
}

/**
 * Adds the output for an agent that runs elsewhere and for the administrator of its role.
 *
 * @param others the channels of the agents that were added before
 * @throws {ReeveError} `settings-invalid` when another agent has the same output
 */
export function agentOutput(
  scope: Construct,
  { agent, requests, replies, consumer }: AgentChannel,
  others: readonly AgentChannel[],
): void {
  if (consumer.kind === 'function') return;
  const name = outputOf(agent);
  const same = others.find(
    (one) => one.consumer.kind !== 'function' && outputOf(one.agent) === name,
  );
  if (same !== undefined) {
    throw new ReeveError(
      'settings-invalid',
      `The agents \`${same.agent}\` and \`${agent}\` of ${scope.node.path} have the same stack output, ${name}: its name contains no "-". Give one of the agents another name.`,
    );
  }
  const output = new CfnOutput(scope, name, {
    description: `Agent ${agent}, which runs elsewhere: its queues, and the policy for its role`,
    value: Stack.of(scope).toJsonString({
      requests: requests.urls,
      replies: replies.queue.queueUrl,
      policy: consumer.policy.managedPolicyArn,
    }),
  });
  const path = pathInStack(scope);
  if (path.length > 0) output.overrideLogicalId(`${addressesOutput(path)}${name}`);
}

/** `gift-wrapping` becomes AgentGiftWrapping, because output names allow letters and digits only. */
const outputOf = (agent: string) =>
  ['agent', ...agent.split('-')]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
