/**
 * A FIFO queue of what somebody is owed, in sequence for each order, with dead letters of its own. Its
 * function hides for up to 15 minutes what cannot be delivered yet.
 */
import { Duration } from 'aws-cdk-lib';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { pollQueue } from './poll-queue.ts';
import { deadLetterQueue } from './work-queue.ts';

export interface RedeliveryQueueProps {
  readonly queueName: string;
  readonly deadLetterName: string;
  /** Of the function that works it off. */
  readonly functionTimeout: Duration;
}

export interface RedeliveryQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

const visibilityPerTimeout = 6;
/** Batches at once: up to a hundred calls, of as many orders. */
export const redeliveryConcurrency = 10;
/** With waits that grow to 15 minutes: four days. */
const maxReceiveCount = 400;
const retention = Duration.days(14);

export function redeliveryQueue(scope: Construct, props: RedeliveryQueueProps): RedeliveryQueue {
  const { queueName, deadLetterName, functionTimeout } = props;
  const deadLetters = deadLetterQueue(scope, 'DeadLetters', {
    queueName: deadLetterName,
    fifo: true,
  });
  const queue = new Queue(scope, 'Queue', {
    queueName,
    fifo: true,
    // An order a group: groups do not wait for each other, nor share a limit.
    deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
    fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: retention,
    visibilityTimeout: Duration.seconds(functionTimeout.toSeconds() * visibilityPerTimeout),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount },
  });
  return { queue, deadLetters };
}

export function addRedeliveryConsumer(worker: ReeveFunction, { queue }: RedeliveryQueue): void {
  pollQueue(worker, queue, redeliveryConcurrency);
}
