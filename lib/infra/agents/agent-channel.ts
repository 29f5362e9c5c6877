/**
 * An agent: its request queues, its reply queue, and its function, unless it runs elsewhere. Only the agent
 * may send to its reply queue, so that the queue identifies the sender. Of the tables, an agent's function has access to the
 * items of its own circuit and of its rates alone.
 */
import { Duration, Lazy, type RemovalPolicy } from 'aws-cdk-lib';
import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Code, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { functionOf } from '#infra/deployment/given.ts';
import { granteeOf } from '#infra/functions/grantee.ts';
import type { Export } from '#infra/functions/implementations.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { PriorityQueues, queuesVariable } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from '#infra/queues/work-queue.ts';
import { agentFunction } from './agent-function.ts';
import { agentPolicy } from './agent-policy.ts';
import {
  type AgentProps,
  type BundledAgent,
  type FunctionAgentProps,
  isBundled,
  isFunction,
  isModule,
} from './agent-props.ts';
import { sharesOf } from './concurrency.ts';
import { configureExisting, refuseOtherStack, timeoutOfExisting } from './existing-function.ts';

/** Properties of {@link AgentChannel}. */
export interface AgentChannelProps {
  readonly agent: AgentProps;
  /** The code of a function that Reeve makes. */
  readonly code: (agent: BundledAgent) => Code;
  readonly store: StateStore;
  /** The names of the rates that its calls count in. */
  readonly rates: readonly string[];
  readonly priorities: readonly Priority[];
  /** The timeout of the Scheduler, which consumes the replies. */
  readonly schedulerTimeout: Duration;
  /** How long the Scheduler's queues gather the messages of a batch, seconds. */
  readonly batchWindowSeconds: number;
  readonly removal: RemovalPolicy;
}

/** The consumer of an agent's requests: its function, or any role with the policy. */
export type AgentConsumer =
  | { readonly kind: 'function'; readonly worker: IFunction }
  | { readonly kind: 'elsewhere'; readonly policy: ManagedPolicy };

const defaultTimeout = Duration.seconds(30);
/**
 * Receives for an agent that runs elsewhere, which may return a message by letting the visibility timeout
 * pass: six times its own timeout or 12 hours, five times (Lambda with SQS recommends at least 5).
 */
const elsewhereReceivesMax = 5;

/** An agent's queues, with its function or with the policy for a program that runs elsewhere. */
export class AgentChannel extends Construct {
  readonly agent: string;
  readonly requests: PriorityQueues;
  readonly replies: WorkQueue;
  readonly consumer: AgentConsumer;
  /** The export that is its implementation; undefined where Reeve does not know its code. */
  readonly code: Export | undefined;
  /** When its function ends an invocation; of one that another app makes, what the agent was given. */
  readonly timeout: Duration;
  /** Whether the agent makes a limited number of calls at once. */
  readonly isLimited: boolean;

  constructor(scope: Construct, id: string, props: AgentChannelProps) {
    super(scope, id);
    const { agent, priorities } = props;
    this.agent = agent.name;
    this.code = isModule(agent) ? { module: agent.module, export: agent.export } : undefined;
    this.isLimited = isFunction(agent) && agent.maxConcurrency !== undefined;
    if (isFunction(agent) && !isBundled(agent)) {
      refuseOtherStack(this, functionOf(agent.function), this.title);
    }
    const timeout = timeoutOf(agent, this.title);
    this.timeout = ownTimeoutOf(agent) ?? timeout;
    const prefix = queuePrefix(this);
    this.requests = new PriorityQueues(this, 'Requests', {
      priorities,
      nameOf: (priority) => queueNames.request(prefix, agent.name, priority),
      deadLetterName: deadLetterNames.request(prefix, agent.name),
      functionTimeout: timeout,
      ...(!isFunction(agent) && { maxReceiveCount: elsewhereReceivesMax }),
    });
    this.replies = new WorkQueue(this, 'Replies', {
      queueName: queueNames.reply(prefix, agent.name),
      deadLetters: deadLetterQueue(this, 'ReplyDeadLetters', {
        queueName: deadLetterNames.reply(prefix, agent.name),
      }),
      functionTimeout: props.schedulerTimeout,
      batchWindowSeconds: props.batchWindowSeconds,
    });
    this.consumer = isFunction(agent)
      ? { kind: 'function', worker: this.worker(agent, timeout, props) }
      : { kind: 'elsewhere', policy: agentPolicy(this, agent.name, this.requests, this.replies) };
  }

  /** For errors. */
  private get title(): string {
    return `\`${this.agent}\` of ${this.node.scope?.node.path}`;
  }

  private worker(
    agent: FunctionAgentProps,
    timeout: Duration,
    props: AgentChannelProps,
  ): IFunction {
    const { rates, removal, store } = props;
    const environment = {
      ...queuesVariable(this.requests),
      REEVE_REPLY_QUEUE: this.replies.queue.queueUrl,
      REEVE_COORDINATION_TABLE: store.coordination.tableName,
    };
    const worker = isBundled(agent)
      ? agentFunction(this, agent, { code: props.code(agent), environment, timeout, removal })
      : configureExisting(this.title, functionOf(agent.function), {
          ...environment,
          REEVE_DEPLOYMENT: deploymentOf(this).name,
        });
    const rights = granteeOf(worker);
    store.allowCircuit(rights, agent.name);
    store.allowRates(rights, rates);
    rights.allow(['sqs:SendMessage'], this.replies.queue.queueArn);
    const { all } = this.requests;
    const total = agent.maxConcurrency;
    const limits = total === undefined ? [] : sharesOf(agent.name, total, all.length);
    const target = worker instanceof ReeveFunction ? worker.target : worker;
    for (const [at, queue] of all.entries()) queue.consumedBy(target, limits[at]);
    return worker;
  }
}

/** @throws {ReeveError} `settings-invalid` when it is shorter than that of the function: SQS would refuse to invoke it */
function timeoutOf(agent: AgentProps, title: string): Duration {
  const own = ownTimeoutOf(agent);
  if (own !== undefined && agent.timeout !== undefined && isShorter(agent.timeout, own)) {
    throw new ReeveError(
      'settings-invalid',
      `The \`timeout\` of the agent ${title} is shorter than that of its function, ${own.toHumanString()}: give none, or a longer one.`,
    );
  }
  if (agent.timeout === undefined && own?.isUnresolved()) {
    throw new ReeveError(
      'settings-invalid',
      `The timeout of the function of the agent ${title} is known at deployment only: give the agent a \`timeout\` that is at least as long.`,
    );
  }
  return agent.timeout ?? own ?? defaultTimeout;
}

/** Of an existing function that is made in this app. */
const ownTimeoutOf = (agent: AgentProps): Duration | undefined =>
  isFunction(agent) && !isBundled(agent)
    ? timeoutOfExisting(functionOf(agent.function))
    : undefined;

const isShorter = (one: Duration, other: Duration) =>
  !one.isUnresolved() && !other.isUnresolved() && one.toMilliseconds() < other.toMilliseconds();

/** The functions of the agents that have one, by agent. */
export const agentFunctions = (agents: readonly AgentChannel[]): [string, IFunction][] =>
  agents.flatMap(({ agent, consumer }) =>
    consumer.kind === 'function' ? [[agent, consumer.worker]] : [],
  );

/** The names of agents as a variable, with those that are added before the synthesis. */
export const namesOf = (
  agents: readonly AgentChannel[],
  isWanted: (agent: AgentChannel) => boolean = () => true,
): string =>
  Lazy.string({
    produce: () =>
      agents
        .filter(isWanted)
        .map(({ agent }) => agent)
        .join(','),
  });
