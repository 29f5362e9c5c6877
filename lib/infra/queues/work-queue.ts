/** A queue that a function consumes, with a dead-letter queue. */
import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { limits } from '#core/model/limits.ts';
import { acknowledge } from '#infra/checks/acknowledge.ts';
import { granteeOf } from '#infra/functions/grantee.ts';
import { pollQueue } from './poll-queue.ts';

/** Properties of {@link WorkQueue}. */
export interface WorkQueueProps {
  readonly queueName: string;
  readonly deadLetters: Queue;
  /** The timeout of the function that consumes the queue, or how long a program elsewhere may work on a message. */
  readonly functionTimeout: Duration;
  /**
   * Receives after which a message becomes a dead letter.
   * @default limits.receivesMax: for Reeve's functions, which hide returned messages for seconds
   */
  readonly maxReceiveCount?: number;
  /** How long Lambda gathers the messages of a batch, seconds. @default 0 */
  readonly batchWindowSeconds?: number;
  /** The longest delay of a message, seconds. @default 0: none is delayed */
  readonly delayMaxSeconds?: number;
}

/** Where messages are for an instant to come: the longest delay that Reeve asks for, seconds. */
export const delayMaxSeconds = limits.messageDelayMaxMs / 1_000;

/**
 * A redelivery must not overtake the first delivery's own retries (Lambda with SQS: 6 × timeout). Only an agent that runs elsewhere can have a
 * timeout of which six are more than SQS allows; its message comes again after that maximum, which is no less than the timeout itself.
 */
export const visibilityPerTimeout = 6;
/** The longest visibility timeout (SQS quotas), s. */
const visibilityMaxSeconds = 43_200;
/** A dead letter's age counts from its first sending, so the dead-letter queue needs a longer retention. */
const retention = Duration.days(4);
const deadLetterRetention = Duration.days(14);

/** A queue whose messages are hidden for six timeouts of its function, 12 hours at most, and kept for four days. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** How long Lambda gathers the messages of a batch, seconds; 0: not at all. */
  readonly batchWindowSeconds: number;
  /** How long a message may be in the queue after Lambda, or the program elsewhere, has taken it: gathered and handled, seconds. */
  readonly takenSeconds: number;
  /** The longest delay of a message, seconds. */
  readonly delayMaxSeconds: number;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    const { queueName, deadLetters, functionTimeout, maxReceiveCount = limits.receivesMax } = props;
    this.deadLetters = deadLetters;
    this.batchWindowSeconds = props.batchWindowSeconds ?? 0;
    this.takenSeconds = functionTimeout.toSeconds() + this.batchWindowSeconds;
    this.delayMaxSeconds = props.delayMaxSeconds ?? 0;
    this.queue = new Queue(this, 'Queue', {
      queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
      // A message is received when the window begins, and stays hidden while its batch is gathered.
      visibilityTimeout: Duration.seconds(
        Math.min(
          functionTimeout.toSeconds() * visibilityPerTimeout + this.batchWindowSeconds,
          visibilityMaxSeconds,
        ),
      ),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount },
    });
  }

  /** Makes the function consume the queue and park unreadable messages. */
  consumedBy(worker: IFunction, maxConcurrency?: number): void {
    const { batchWindowSeconds } = this;
    pollQueue(worker, this.queue, { maxConcurrency, batchWindowSeconds });
    granteeOf(worker).allow(['sqs:SendMessage'], this.deadLetters.queueArn);
  }
}

/** @param props `fifo`: for dead letters of a FIFO queue, which a standard queue cannot take */
export function deadLetterQueue(
  scope: Construct,
  id: string,
  props: { readonly queueName: string; readonly fifo?: true },
): Queue {
  const queue = new Queue(scope, id, {
    ...props,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: deadLetterRetention,
  });
  acknowledge(queue, 'Serverless::Serverless-SQSRedrivePolicy', 'AwsSolutions::AwsSolutions-SQS3');
  return queue;
}
