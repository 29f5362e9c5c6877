/** Where orders wait to be claimed: a queue for each priority class. */
import { type Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { LetterKind } from '#core/dead-letter.ts';
import type { Priority } from '#core/record.ts';
import type { ReeveFunction } from './reeve-function.ts';
import { WorkQueue } from './work-queue.ts';

/** Queues of the same purpose, one for each priority class that is deployed. */
export class PriorityQueues extends Construct {
  readonly all: readonly WorkQueue[];
  /** Their URLs by class. */
  readonly urls: Readonly<Record<string, string>>;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly kind: LetterKind;
      readonly priorities: readonly Priority[];
      readonly functionTimeout: Duration;
    },
  ) {
    super(scope, id);
    const { kind, functionTimeout } = props;
    const queues = props.priorities.map((priority) => ({
      priority,
      work: new WorkQueue(this, named(priority), { kind, functionTimeout }),
    }));
    this.all = queues.map(({ work }) => work);
    this.urls = Object.fromEntries(
      queues.map(({ priority, work }) => [priority, work.queue.queueUrl]),
    );
  }

  /** Lets the function send to all of them. */
  allowSend(to: ReeveFunction): void {
    to.allow(['sqs:SendMessage'], ...this.all.map(({ queue }) => queue.queueArn));
  }
}

const named = (priority: Priority) => priority.charAt(0).toUpperCase() + priority.slice(1);

/** For a function that nudges. */
export function readyVariable(scope: Construct, ready: PriorityQueues): Record<string, string> {
  return { REEVE_READY_QUEUES: Stack.of(scope).toJsonString(ready.urls) };
}
