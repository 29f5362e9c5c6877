/**
 * A webhook: the FIFO queue of its receiver's undelivered messages, a dead-letter queue, and a function. A
 * function per webhook keeps a slow receiver from delaying others, and gives each function one secret only.
 */

import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { allowSecret } from '#infra/access/secret-right.ts';
import type { AnySecret } from '#infra/deployment/given.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import { queuePrefix } from './queue-prefix.ts';
import { addRedeliveryConsumer, redeliveryQueue } from './redelivery-queue.ts';

/** Properties of {@link WebhookChannel}. */
export interface WebhookChannelProps {
  /** The channel's name in `replyTo`. */
  readonly name: string;
  /** The https address that receives its messages. */
  readonly url: string;
  /** The secret that signs them, in Secrets Manager. */
  readonly secret: AnySecret;
  readonly code: Code;
  readonly removal: RemovalPolicy;
}

/** A batch may hold messages of one order, which are delivered in sequence, at most ten seconds each. */
const timeout = Duration.seconds(120);

/** The queue and the function of one webhook. */
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
      name: `webhook-${props.name}`,
      code: props.code,
      description: `Reeve: webhook ${props.name}`,
      timeout,
      removal: props.removal,
      environment: {
        REEVE_WEBHOOK: props.name,
        REEVE_WEBHOOK_URL: props.url,
        REEVE_WEBHOOK_SECRET: props.secret.secretArn,
      },
    });
    allowSecret(this.worker, props.secret);
    addRedeliveryConsumer(this.worker, redelivery);
  }
}
