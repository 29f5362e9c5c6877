/** The Scheduler: consumes the ready queues and every agent's replies, and sends requests. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type AgentChannel, namesOf } from '#infra/agents/agent-channel.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { recoveryVariable } from '#infra/queues/deadline-check-queue.ts';
import {
  type PriorityQueues,
  readyVariables,
  windowVariable,
} from '#infra/queues/priority-queues.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import type { StateStore } from './order-tables.ts';

/** The timeout of the Scheduler, on which the visibility timeout of its queues depends. */
export const schedulerTimeout = Duration.seconds(30);

/** Properties of {@link Scheduler}. */
export interface SchedulerProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  /** Also those that are added later, by {@link Scheduler.addAgent}. */
  readonly agents: readonly AgentChannel[];
  /** @default no deadline checks */
  readonly checks?: WorkQueue | undefined;
  /** Whether agents have limits, in which it leases slots. */
  readonly hasLimits: boolean;
  /** Variables that depend on settings alone. */
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
}

/** The function of the Scheduler. */
export class Scheduler extends Construct {
  readonly worker: ReeveFunction;

  constructor(
    scope: Construct,
    id: string,
    { code, store, ready, agents, checks, hasLimits, environment, removal }: SchedulerProps,
  ) {
    super(scope, id);
    this.worker = new ReeveFunction(this, 'Function', {
      name: 'scheduler',
      code,
      description: 'Reeve: Scheduler',
      timeout: schedulerTimeout,
      removal,
      // Part of the loop Scheduler – agent – Scheduler, which Lambda stops after some 16 steps by default.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...store.environment,
        ...environment,
        ...readyVariables(ready),
        ...windowVariable(ready),
        ...recoveryVariable(checks),
        REEVE_COORDINATION_TABLE: store.coordination.tableName,
        REEVE_AGENTS: namesOf(agents),
        REEVE_LIMITED_AGENTS: namesOf(agents, ({ isLimited }) => isLimited),
      },
    });
    store.allowCommit(this.worker);
    store.allowLines(this.worker);
    ready.allowSend(this.worker);
    if (checks !== undefined) this.worker.allow(['sqs:SendMessage'], checks.queue.queueArn);
    store.allowStartHeld(this.worker);
    store.allowNoteReplies(this.worker);
    if (hasLimits) store.allowLimits(this.worker);
    for (const queue of ready.all) queue.consumedBy(this.worker.target);
  }

  /** Sends requests to the agent, and takes its replies. */
  addAgent({ requests, replies }: AgentChannel): void {
    requests.allowSendAndCount(this.worker);
    replies.consumedBy(this.worker.target);
  }
}
