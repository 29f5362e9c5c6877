/** The second way in: a queue of submissions, for producers in the account. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type PriorityQueues, readyVariable } from './priority-queues.ts';
import { ReeveFunction } from './reeve-function.ts';
import type { StateStore } from './state-store.ts';
import { deadLetterVariable, WorkQueue } from './work-queue.ts';

export interface SubmissionQueueProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
}

export class SubmissionQueue extends Construct {
  readonly submissions: WorkQueue;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: SubmissionQueueProps) {
    super(scope, id);
    const timeout = Duration.seconds(30);
    this.submissions = new WorkQueue(this, 'Submissions', {
      kind: 'submission',
      functionTimeout: timeout,
    });
    this.worker = new ReeveFunction(this, 'Function', {
      code: props.code,
      description: 'Reeve: submission by queue',
      timeout,
      removal: props.removal,
      environment: {
        ...props.store.environment,
        ...props.environment,
        ...readyVariable(this, props.ready),
        ...deadLetterVariable(this, [this.submissions]),
      },
    });
    props.store.allowCreate(this.worker);
    props.ready.allowSend(this.worker);
    this.submissions.workedOffBy(this.worker);
  }
}
