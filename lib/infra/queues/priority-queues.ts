/** Queues of the same purpose, one for each priority class that is deployed, and the dead letters of all of them. */
import type { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type Priority, priorities } from '#core/model/record.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { queuesAt } from './queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from './work-queue.ts';

export interface PriorityQueuesProps {
  readonly priorities: readonly Priority[];
  readonly nameOf: (priority: Priority) => string;
  readonly deadLetterName: string;
  readonly functionTimeout: Duration;
  readonly maxReceiveCount?: number;
}

export class PriorityQueues extends Construct {
  readonly all: readonly WorkQueue[];
  readonly deadLetters: Queue;
  /** The highest first, as {@link all}. */
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

  /** The URL of each queue, by its class. */
  get urls(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.priorities.map((priority, at) => [priority, this.all[at]?.queue.queueUrl ?? '']),
    );
  }

  /** Lets the function send to all of them. */
  allowSend(to: ReeveFunction): void {
    to.allow(['sqs:SendMessage'], ...this.all.map(({ queue }) => queue.queueArn));
  }
}

const highestFirst = (some: readonly Priority[]) =>
  priorities.filter((priority) => some.includes(priority));

const titled = (priority: Priority) => priority.charAt(0).toUpperCase() + priority.slice(1);

/** For a function that nudges: where all queues are, and the classes that there are. */
export function readyVariables(ready: PriorityQueues): Record<string, string> {
  return { ...queuesVariable(ready), REEVE_PRIORITIES: ready.priorities.join(',') };
}

/** For a function that knows other queues than its own; any queue of the deployment says where all are. */
export function queuesVariable({ all: [one] }: PriorityQueues): Record<string, string> {
  return one === undefined ? {} : { REEVE_QUEUES: queuesAt(one.queue.queueUrl) };
}
