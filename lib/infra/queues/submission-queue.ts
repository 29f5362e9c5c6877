/** A queue of submissions beside the API, for producers in the account. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { type Code, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { type PriorityQueues, readyVariables } from './priority-queues.ts';
import { queuePrefix } from './queue-prefix.ts';
import { deadLetterQueue, WorkQueue } from './work-queue.ts';

/** Properties of {@link SubmissionQueue}. */
export interface SubmissionQueueProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  /** The variable of the response channels. */
  readonly environment: Readonly<Record<string, string>>;
  readonly removal: RemovalPolicy;
}

/** The queue to which producers send submissions, and the function that consumes it. */
export class SubmissionQueue extends Construct {
  readonly submissions: WorkQueue;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: SubmissionQueueProps) {
    super(scope, id);
    const timeout = Duration.seconds(30);
    const prefix = queuePrefix(this);
    this.submissions = new WorkQueue(this, 'Submissions', {
      queueName: queueNames.submission(prefix),
      deadLetters: deadLetterQueue(this, 'DeadLetters', {
        queueName: deadLetterNames.submission(prefix),
      }),
      functionTimeout: timeout,
    });
    this.worker = new ReeveFunction(this, 'Function', {
      name: 'submission',
      code: props.code,
      description: 'Reeve: submission by queue',
      timeout,
      removal: props.removal,
      // An agent may submit the next order by this queue. After some 16 of such a chain Lambda would refuse the message, which would
      // become a dead letter: an order that was not accepted. The agents have to end the chain.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...props.store.environment,
        ...props.environment,
        ...readyVariables(props.ready),
      },
    });
    props.store.allowCreate(this.worker);
    props.ready.allowSend(this.worker);
    this.submissions.consumedBy(this.worker.target);
  }
}
