/** A queue that a function works off, and the dead-letter queue beside it. */
import { Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { LetterKind } from '#core/dead-letter.ts';
import { acknowledge } from './acknowledge.ts';
import type { ReeveFunction } from './reeve-function.ts';

export interface WorkQueueProps {
  /** What its messages are: how `reeve dlq` reads and judges them. */
  readonly kind: LetterKind;
  /** Of the function that works it off. */
  readonly functionTimeout: Duration;
}

/** A redelivery must not overtake the first delivery's own tries (Lambda with SQS: 6 × timeout). */
const visibilityPerTimeout = 6;
/** Throttled invocations count as receives too, and must not push healthy messages out (Lambda with SQS). */
const maxReceiveCount = 5;
/** A dead letter's time counts from its first sending, so the dead-letter queue must keep longer. */
const retention = Duration.days(4);
const deadLetterRetention = Duration.days(14);
const batchSize = 10;

export class WorkQueue extends Construct {
  readonly kind: LetterKind;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { kind, functionTimeout }: WorkQueueProps) {
    super(scope, id);
    this.kind = kind;
    this.deadLetters = deadLetterQueue(this, 'DeadLetters');
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(functionTimeout.toSeconds() * visibilityPerTimeout),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }

  /** Has the function work it off, and park what it cannot read. */
  workedOffBy(worker: ReeveFunction, maxConcurrency?: number): void {
    worker.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize,
        reportBatchItemFailures: true,
        ...(maxConcurrency !== undefined && { maxConcurrency }),
      }),
    );
    acknowledge(worker, 'Serverless::Serverless-LambdaEventSourceMappingDestination');
    worker.allow(['sqs:SendMessage'], this.deadLetters.queueArn);
  }
}

/** `fifo`: for the letters of a FIFO queue, which a standard one cannot take. */
export function deadLetterQueue(
  scope: Construct,
  id: string,
  kind: { readonly fifo?: true } = {},
): Queue {
  const queue = new Queue(scope, id, {
    ...kind,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: deadLetterRetention,
  });
  acknowledge(queue, 'Serverless::Serverless-SQSRedrivePolicy', 'AwsSolutions::AwsSolutions-SQS3');
  return queue;
}

/** The variable that tells a function where letters it cannot read go. */
export function deadLetterVariable(
  scope: Construct,
  queues: readonly WorkQueue[],
): Record<string, string> {
  const urls = queues.map(({ queue, deadLetters }) => [queue.queueArn, deadLetters.queueUrl]);
  return { REEVE_DEAD_LETTERS: Stack.of(scope).toJsonString(Object.fromEntries(urls)) };
}
