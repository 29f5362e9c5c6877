/**
 * An agent: its function, the queues of requests to it, and the one queue of its replies. No other
 * function may send to that queue, so that who replies is known from it; and an agent has no table.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Priority } from '#core/record.ts';
import { PriorityQueues } from './priority-queues.ts';
import { ReeveFunction } from './reeve-function.ts';
import { deadLetterVariable, WorkQueue } from './work-queue.ts';

/** An agent as the app names it: one file, and one line. */
export interface AgentProps {
  /** As its contract says. */
  readonly name: string;
  /** The file that exports its `handler`. */
  readonly entry: string;
  /** For its function alone. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Batches at once, of ten calls each: what its service bears. 2 to 1,000.
   * @default what SQS and Lambda make of it, up to 1,250
   */
  readonly maxConcurrency?: number;
  /** Longer than any of its steps' `completeWithin`; at most 15 minutes. @default 30 seconds */
  readonly timeout?: Duration;
}

export interface AgentChannelProps {
  readonly agent: AgentProps;
  readonly code: Code;
  readonly priorities: readonly Priority[];
  readonly schedulerTimeout: Duration;
  readonly removal: RemovalPolicy;
}

const defaultTimeout = Duration.seconds(30);

export class AgentChannel extends Construct {
  readonly agent: string;
  readonly requests: PriorityQueues;
  readonly replies: WorkQueue;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: AgentChannelProps) {
    super(scope, id);
    const { agent, priorities } = props;
    const timeout = agent.timeout ?? defaultTimeout;
    this.agent = agent.name;
    this.requests = new PriorityQueues(this, 'Requests', {
      kind: 'request',
      priorities,
      functionTimeout: timeout,
    });
    this.replies = new WorkQueue(this, 'Replies', {
      kind: 'reply',
      functionTimeout: props.schedulerTimeout,
    });
    this.worker = new ReeveFunction(this, 'Agent', {
      code: props.code,
      description: `Reeve: agent ${agent.name}`,
      timeout,
      removal: props.removal,
      // Part of the loop Scheduler – agent – Scheduler, which Lambda would cut after some 16 steps.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...agent.environment,
        ...deadLetterVariable(this, this.requests.all),
        REEVE_REPLY_QUEUE: this.replies.queue.queueUrl,
      },
    });
    this.worker.allow(['sqs:SendMessage'], this.replies.queue.queueArn);
    for (const queue of this.requests.all) queue.workedOffBy(this.worker, agent.maxConcurrency);
  }
}
