/**
 * A webhook: the FIFO queue of what its receiver is owed, dead letters of its own, and the function that
 * tells it. One function each, so that a slow receiver holds up nobody else, and each knows one secret.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { queuePrefix } from './queue-prefix.ts';
import { addRedeliveryConsumer, redeliveryQueue } from './redelivery-queue.ts';

export interface WebhookChannelProps {
  /** As `replyTo` gives it. */
  readonly name: string;
  readonly url: string;
  readonly secretArn: string;
  readonly code: Code;
  readonly removal: RemovalPolicy;
}

/** A batch may be of one order, whose messages are told one after the other, ten seconds each at most. */
const timeout = Duration.seconds(120);

export class WebhookChannel extends Construct {
  readonly channel: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly worker: ReeveFunction;

  constructor(scope: Construct, id: string, props: WebhookChannelProps) {
    super(scope, id);
    this.channel = props.name;
    const prefix = queuePrefix(this);
    const redelivery = redeliveryQueue(this, {
      queueName: queueNames.webhook(prefix, props.name),
      deadLetterName: deadLetterNames.webhook(prefix, props.name),
      functionTimeout: timeout,
    });
    this.queue = redelivery.queue;
    this.deadLetters = redelivery.deadLetters;
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
    addRedeliveryConsumer(this.worker, redelivery);
  }
}
