/**
 * A webhook: the FIFO queue of what its receiver is owed, dead letters of its own, and the function that
 * tells it. One function each, so that a slow receiver holds up nobody else, and each knows one secret.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queue-names.ts';
import { acknowledge } from './acknowledge.ts';
import { queuePrefix } from './queue-prefix.ts';
import { ReeveFunction } from './reeve-function.ts';
import { deadLetterQueue } from './work-queue.ts';

export interface WebhookChannelProps {
  /** As `replyTo` gives it. */
  readonly name: string;
  readonly url: string;
  readonly secretArn: string;
  readonly code: Code;
  readonly removal: RemovalPolicy;
}

const batchSize = 10;
/** A batch may be of one order, whose messages are told one after the other, ten seconds each at most. */
const timeout = Duration.seconds(120);
const visibilityPerTimeout = 6;
/** Batches at once: up to a hundred calls, of as many orders. */
const maxConcurrency = 10;
/** With waits that grow to 15 minutes: four days. */
const maxReceiveCount = 400;
const retention = Duration.days(14);

export class WebhookChannel extends Construct {
  readonly channel: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: WebhookChannelProps) {
    super(scope, id);
    this.channel = props.name;
    const prefix = queuePrefix(this);
    this.deadLetters = deadLetterQueue(this, 'DeadLetters', {
      queueName: deadLetterNames.webhook(prefix, props.name),
      fifo: true,
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: queueNames.webhook(prefix, props.name),
      fifo: true,
      // An order a group: groups do not wait for each other, nor share a limit.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(timeout.toSeconds() * visibilityPerTimeout),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    this.worker = new ReeveFunction(this, 'Function', {
      code: props.code,
      description: `Reeve: webhook ${props.name}`,
      timeout,
      removal: props.removal,
      environment: {
        REEVE_WEBHOOK: props.name,
        REEVE_WEBHOOK_URL: props.url,
        REEVE_WEBHOOK_SECRET: props.secretArn,
      },
    });
    this.worker.allow(['secretsmanager:GetSecretValue'], props.secretArn);
    this.worker.addEventSource(
      new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    acknowledge(this.worker, 'Serverless::Serverless-LambdaEventSourceMappingDestination');
  }
}
