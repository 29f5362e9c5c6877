/** The Scheduler: works off the ready queues and every agent's replies, and sends requests. */
import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { AgentChannel } from './agent-channel.ts';
import { type PriorityQueues, readyVariable } from './priority-queues.ts';
import { ReeveFunction } from './reeve-function.ts';
import type { StateStore } from './state-store.ts';
import { deadLetterVariable } from './work-queue.ts';

export const schedulerTimeout = Duration.seconds(30);

export interface SchedulerProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  readonly agents: readonly AgentChannel[];
  readonly removal: RemovalPolicy;
}

export class Scheduler extends Construct {
  readonly worker: ReeveFunction;

  constructor(
    scope: Construct,
    id: string,
    { code, store, ready, agents, removal }: SchedulerProps,
  ) {
    super(scope, id);
    const queues = [...ready.all, ...agents.map(({ replies }) => replies)];
    this.worker = new ReeveFunction(this, 'Function', {
      code,
      description: 'Reeve: Scheduler',
      timeout: schedulerTimeout,
      removal,
      // Part of the loop Scheduler – agent – Scheduler, which Lambda would cut after some 16 steps.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...store.environment,
        ...readyVariable(this, ready),
        ...deadLetterVariable(this, queues),
        REEVE_REQUEST_QUEUES: Stack.of(this).toJsonString(
          Object.fromEntries(agents.map(({ agent, requests }) => [agent, requests.urls])),
        ),
        REEVE_REPLY_QUEUES: Stack.of(this).toJsonString(
          Object.fromEntries(agents.map(({ agent, replies }) => [replies.queue.queueArn, agent])),
        ),
      },
    });
    store.allowCommit(this.worker);
    ready.allowSend(this.worker);
    for (const { requests } of agents) requests.allowSend(this.worker);
    for (const queue of queues) queue.workedOffBy(this.worker);
  }
}
