/**
 * A FIFO queue of undelivered messages, in sequence for each order, with its own dead-letter queue. Its
 * function hides undeliverable messages for up to 15 minutes, or for as long as the receiver asks for, up to 45.
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
import { deadLetterQueue, visibilityPerTimeout } from './work-queue.ts';

/** Properties of a {@link RedeliveryQueue}. */
export interface RedeliveryQueueProps {
  readonly queueName: string;
  readonly deadLetterName: string;
  /** The timeout of the function that consumes the queue. */
  readonly functionTimeout: Duration;
}

/** A FIFO queue of undelivered messages, and its dead-letter queue. */
export interface RedeliveryQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** Concurrent batches: up to a hundred calls, for as many orders. */
export const redeliveryConcurrency = 10;
/**
 * With delays that grow to 15 minutes: four days. With those of a receiver that asks for 45 minutes each time, the most that is
 * granted (fifo-batch.ts), 12.5 days.
 */
const maxReceiveCount = 400;
/** The maximum (SQS quotas): a message that is as old is deleted, and is no dead letter. */
const retention = Duration.days(14);

/**
 * Makes the queue and its dead-letter queue: 400 receives, or four days and more, before a message becomes a dead letter.
 */
export function redeliveryQueue(scope: Construct, props: RedeliveryQueueProps): RedeliveryQueue {
  const { queueName, deadLetterName, functionTimeout } = props;
  const deadLetters = deadLetterQueue(scope, 'DeadLetters', {
    queueName: deadLetterName,
    fifo: true,
  });
  const queue = new Queue(scope, 'Queue', {
    queueName,
    fifo: true,
    // Each order is a group: groups do not wait for each other or share a throughput limit.
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

/** Makes the function consume the queue, up to {@link redeliveryConcurrency} batches at once. */
export function addRedeliveryConsumer(worker: ReeveFunction, { queue }: RedeliveryQueue): void {
  pollQueue(worker.target, queue, { maxConcurrency: redeliveryConcurrency });
}
