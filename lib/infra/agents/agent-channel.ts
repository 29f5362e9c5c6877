/**
 * An agent: its request queues, its reply queue, and its function, unless it runs elsewhere. Only the agent
 * may send to its reply queue, so that the queue identifies the sender. Of the tables, an agent's function has access to the
 * items of its own circuit and of its rates alone.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import type { Priority } from '#core/model/record.ts';
import { agentSource } from '#infra/functions/function-code.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { PriorityQueues, queuesVariable } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from '#infra/queues/work-queue.ts';
import { agentPolicy } from './agent-policy.ts';
import { sharesOf } from './concurrency.ts';

interface CommonAgentProps {
  /** The agent's name in its contract. */
  readonly name: string;
  /** Exceeds `completeWithin` of all its steps; a function's is at most 15 minutes. @default 30 seconds */
  readonly timeout?: Duration;
}

/** An agent that is a function. */
export interface FunctionAgentProps extends CommonAgentProps {
  /** The file that exports its `handler`. */
  readonly entry: string;
  /** Additional variables of its function. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Concurrent batches of ten calls, in all priority classes together: the load that its service supports.
   * From 2 per class to 1,000; the setting `concurrency` takes precedence.
   * @default as SQS and Lambda scale, up to 1,250 per class
   */
  readonly maxConcurrency?: number;
  /** Whether it calls a service of the setting `services`, by REEVE_SERVICE_URL. @default false */
  readonly callsService?: boolean;
}

/**
 * An agent that runs elsewhere, in any language, and uses the queues directly. The stack creates them and a
 * policy for the agent's role.
 */
export interface QueueAgentProps extends CommonAgentProps {
  readonly entry?: never;
}

/** An agent of the stack: a function, or a program that runs elsewhere. */
export type AgentProps = FunctionAgentProps | QueueAgentProps;

/** Properties of {@link AgentChannel}. */
export interface AgentChannelProps {
  readonly agent: AgentProps;
  /** @param name the function's name in the bundle */
  readonly codeOf: (name: string) => Code;
  readonly store: StateStore;
  /** The names of the rates that its calls count in. */
  readonly rates: readonly string[];
  readonly priorities: readonly Priority[];
  /** The timeout of the Scheduler, which consumes the replies. */
  readonly schedulerTimeout: Duration;
  readonly removal: RemovalPolicy;
}

/** The consumer of an agent's requests: its function, or any role with the policy. */
export type AgentConsumer =
  | { readonly kind: 'function'; readonly worker: ReeveFunction }
  | { readonly kind: 'elsewhere'; readonly policy: ManagedPolicy };

const defaultTimeout = Duration.seconds(30);
/**
 * Receives for an agent that runs elsewhere, which may return a message by letting the visibility timeout
 * pass: six times its own timeout, five times (Lambda with SQS recommends at least 5).
 */
const elsewhereReceivesMax = 5;

/** The entry modules of agents, by function name. */
export const agentSources = (agents: readonly AgentProps[]): Record<string, string> =>
  Object.fromEntries(
    agents.flatMap(({ name, entry }) =>
      entry === undefined ? [] : [[bundled(name), agentSource({ handler: entry })]],
    ),
  );
const bundled = (agent: string) => `agent-${agent}`;

/** An agent's queues, with its function or with the policy for a program that runs elsewhere. */
export class AgentChannel extends Construct {
  readonly agent: string;
  readonly requests: PriorityQueues;
  readonly replies: WorkQueue;
  readonly consumer: AgentConsumer;
  /** Whether the agent makes a limited number of calls at once. */
  readonly isLimited: boolean;

  constructor(scope: Construct, id: string, props: AgentChannelProps) {
    super(scope, id);
    const { agent, priorities } = props;
    this.agent = agent.name;
    this.isLimited = agent.entry !== undefined && agent.maxConcurrency !== undefined;
    const prefix = queuePrefix(this);
    this.requests = new PriorityQueues(this, 'Requests', {
      priorities,
      nameOf: (priority) => queueNames.request(prefix, agent.name, priority),
      deadLetterName: deadLetterNames.request(prefix, agent.name),
      functionTimeout: agent.timeout ?? defaultTimeout,
      ...(agent.entry === undefined && { maxReceiveCount: elsewhereReceivesMax }),
    });
    this.replies = new WorkQueue(this, 'Replies', {
      queueName: queueNames.reply(prefix, agent.name),
      deadLetters: deadLetterQueue(this, 'ReplyDeadLetters', {
        queueName: deadLetterNames.reply(prefix, agent.name),
      }),
      functionTimeout: props.schedulerTimeout,
    });
    this.consumer =
      agent.entry === undefined
        ? { kind: 'elsewhere', policy: agentPolicy(this, agent.name, this.requests, this.replies) }
        : { kind: 'function', worker: this.worker(agent, props) };
  }

  private worker(
    agent: FunctionAgentProps,
    { codeOf, rates, removal, store }: AgentChannelProps,
  ): ReeveFunction {
    const worker = new ReeveFunction(this, 'Agent', {
      code: codeOf(bundled(agent.name)),
      description: `Reeve: agent ${agent.name}`,
      timeout: agent.timeout ?? defaultTimeout,
      removal,
      // Part of the loop Scheduler – agent – Scheduler, which Lambda stops after some 16 steps by default.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...agent.environment,
        ...queuesVariable(this.requests),
        REEVE_REPLY_QUEUE: this.replies.queue.queueUrl,
        REEVE_COORDINATION_TABLE: store.coordination.tableName,
      },
    });
    store.allowCircuit(worker, agent.name);
    store.allowRates(worker, rates);
    worker.allow(['sqs:SendMessage'], this.replies.queue.queueArn);
    const { all } = this.requests;
    const total = agent.maxConcurrency;
    const limits = total === undefined ? [] : sharesOf(agent.name, total, all.length);
    for (const [at, queue] of all.entries()) queue.consumedBy(worker, limits[at]);
    return worker;
  }
}

/** The functions of the agents that have one, by agent. */
export const agentFunctions = (agents: readonly AgentChannel[]): [string, ReeveFunction][] =>
  agents.flatMap(({ agent, consumer }) =>
    consumer.kind === 'function' ? [[agent, consumer.worker]] : [],
  );
