/** The queues of one purpose, one for each deployed priority class, and their common dead-letter queue. */
import type { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type Priority, priorities } from '#core/model/record.ts';
import type { Grantee } from '#infra/functions/grantee.ts';
import { queuesAt } from './queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from './work-queue.ts';

/** Properties of {@link PriorityQueues}; the last four as in {@link WorkQueue}. */
export interface PriorityQueuesProps {
  readonly priorities: readonly Priority[];
  readonly nameOf: (priority: Priority) => string;
  readonly deadLetterName: string;
  readonly functionTimeout: Duration;
  readonly maxReceiveCount?: number;
  readonly batchWindowSeconds?: number;
  readonly delayMaxSeconds?: number;
}

/** One queue for each priority class, and the dead-letter queue of all. */
export class PriorityQueues extends Construct {
  readonly all: readonly WorkQueue[];
  readonly deadLetters: Queue;
  /** The highest first, in the order of {@link all}. */
  readonly priorities: readonly Priority[];

  constructor(scope: Construct, id: string, props: PriorityQueuesProps) {
    super(scope, id);
    const { priorities, nameOf, deadLetterName, ...common } = props;
    this.priorities = highestFirst(priorities);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', { queueName: deadLetterName });
    this.all = this.priorities.map((priority) => {
      const { deadLetters } = this;
      const queueName = nameOf(priority);
      return new WorkQueue(this, titled(priority), { queueName, deadLetters, ...common });
    });
  }

  /** The URL of each queue, by priority class. */
  get urls(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.priorities.map((priority, at) => [priority, this.all[at]?.queue.queueUrl ?? '']),
    );
  }

  /** Allows the function to send to all of them. */
  allowSend(to: Grantee): void {
    to.allow(['sqs:SendMessage'], ...this.all.map(({ queue }) => queue.queueArn));
  }

  /** Allows the function to send to all of them, and to read how many messages they have. */
  allowSendAndCount(to: Grantee): void {
    const actions = ['sqs:SendMessage', 'sqs:GetQueueAttributes'];
    to.allow(actions, ...this.all.map(({ queue }) => queue.queueArn));
  }
}

const highestFirst = (some: readonly Priority[]) =>
  priorities.filter((priority) => some.includes(priority));

const titled = (priority: Priority) => priority.charAt(0).toUpperCase() + priority.slice(1);

/** The variables of a function that sends nudges. */
export function readyVariables(ready: PriorityQueues): Record<string, string> {
  return { ...queuesVariable(ready), REEVE_PRIORITIES: ready.priorities.join(',') };
}

/** The variable of a function that derives queue URLs: their common prefix, from any queue. */
export function queuesVariable({ all: [one] }: PriorityQueues): Record<string, string> {
  return one === undefined ? {} : { REEVE_QUEUES: queuesAt(one.queue.queueUrl) };
}

/** The variable of a function that knows for how long messages of its queues are gathered; none: they are not. */
export function windowVariable({ all: [one] }: PriorityQueues): Record<string, string> {
  const seconds = one?.batchWindowSeconds ?? 0;
  return seconds > 0 ? { REEVE_BATCH_WINDOW_SECONDS: String(seconds) } : {};
}
