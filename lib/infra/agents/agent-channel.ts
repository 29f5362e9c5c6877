/**
 * An agent: the queues of requests to it, the one queue of its replies, and its function, unless it runs
 * elsewhere. Nobody else may send to its reply queue, so that who replies is known from it; and an agent
 * has no table.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import type { Priority } from '#core/model/record.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { PriorityQueues, queuesVariable } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from '#infra/queues/work-queue.ts';
import { agentPolicy } from './agent-policy.ts';
import { sharesOf } from './concurrency.ts';

interface AnyAgentProps {
  /** As its contract says. */
  readonly name: string;
  /** Longer than any of its steps' `completeWithin`; of a function at most 15 minutes. @default 30 seconds */
  readonly timeout?: Duration;
}

/** An agent that is a function: one file, and one line of the app. */
export interface FunctionAgentProps extends AnyAgentProps {
  /** The file that exports its `handler`. */
  readonly entry: string;
  /** For its function alone. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Batches at once in all priority classes together, of ten calls each: what its service bears. 2 for each
   * class to 1,000; the setting `concurrency` comes before it.
   * @default what SQS and Lambda make of it, up to 1,250 for each class
   */
  readonly maxConcurrency?: number;
  /** Whether it calls a service that the setting `services` names; REEVE_SERVICE_URL says where. @default false */
  readonly callsService?: boolean;
}

/**
 * An agent that runs elsewhere, in whatever language, and is known by its queues alone. The stack makes
 * them, and a policy for the role that it runs under.
 */
export interface QueueAgentProps extends AnyAgentProps {
  readonly entry?: never;
}

export type AgentProps = FunctionAgentProps | QueueAgentProps;

export interface AgentChannelProps {
  readonly agent: AgentProps;
  /** The code of each function, by what it is called in the bundle. */
  readonly codeOf: (name: string) => Code;
  readonly priorities: readonly Priority[];
  readonly schedulerTimeout: Duration;
  readonly removal: RemovalPolicy;
}

/** Who works its requests off: its function, or whoever has the policy. */
export type AgentWorker =
  | { readonly kind: 'function'; readonly worker: ReeveFunction }
  | { readonly kind: 'elsewhere'; readonly policy: ManagedPolicy };

const defaultTimeout = Duration.seconds(30);
/**
 * Of an agent that runs elsewhere and may give a message back by doing nothing: after the visibility
 * timeout, six times its own timeout, five times over (at least 5: Lambda with SQS).
 */
const elsewhereReceivesMax = 5;

/** The entries of a bundle that agents need, by what each is called there. */
export const agentEntries = (agents: readonly AgentProps[]): Record<string, string> =>
  Object.fromEntries(
    agents.flatMap(({ name, entry }) => (entry === undefined ? [] : [[bundled(name), entry]])),
  );
const bundled = (agent: string) => `agent-${agent}`;

export class AgentChannel extends Construct {
  readonly agent: string;
  readonly requests: PriorityQueues;
  readonly replies: WorkQueue;
  readonly workedOff: AgentWorker;

  constructor(scope: Construct, id: string, props: AgentChannelProps) {
    super(scope, id);
    const { agent, priorities } = props;
    this.agent = agent.name;
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
    this.workedOff =
      agent.entry === undefined
        ? { kind: 'elsewhere', policy: agentPolicy(this, agent.name, this.requests, this.replies) }
        : { kind: 'function', worker: this.worker(agent, props) };
  }

  private worker(agent: FunctionAgentProps, { codeOf, removal }: AgentChannelProps): ReeveFunction {
    const worker = new ReeveFunction(this, 'Agent', {
      code: codeOf(bundled(agent.name)),
      description: `Reeve: agent ${agent.name}`,
      timeout: agent.timeout ?? defaultTimeout,
      removal,
      // Part of the loop Scheduler – agent – Scheduler, which Lambda would cut after some 16 steps.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...agent.environment,
        ...queuesVariable(this.requests),
        REEVE_REPLY_QUEUE: this.replies.queue.queueUrl,
      },
    });
    worker.allow(['sqs:SendMessage'], this.replies.queue.queueArn);
    const { all } = this.requests;
    const total = agent.maxConcurrency;
    const shares = total === undefined ? [] : sharesOf(agent.name, total, all.length);
    for (const [at, queue] of all.entries()) queue.workedOffBy(worker, shares[at]);
    return worker;
  }
}

/** The agents that are functions, each with its own. */
export const agentFunctions = (agents: readonly AgentChannel[]): [string, ReeveFunction][] =>
  agents.flatMap(({ agent, workedOff }) =>
    workedOff.kind === 'function' ? [[agent, workedOff.worker]] : [],
  );
