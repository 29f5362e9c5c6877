/** The notifier on the change stream, and the topic that alerts operators to orders in Error. */
import { type ArnComponents, ArnFormat, Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Code,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alertDetailType, eventSource } from '#aws/notifications/event-names.ts';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { deploymentOf, ownNames } from '#infra/deployment/deployment.ts';
import { type AnyEventBus, busOf } from '#infra/deployment/given.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import { type PriorityQueues, queuesVariable } from '#infra/queues/priority-queues.ts';
import { queuePrefix } from '#infra/queues/queue-prefix.ts';
import {
  addRedeliveryConsumer,
  type RedeliveryQueue,
  redeliveryQueue,
} from '#infra/queues/redelivery-queue.ts';
import { allowResponses } from '#infra/queues/response-channels.ts';
import { deadLetterQueue } from '#infra/queues/work-queue.ts';

/** Properties of {@link Notifications}. */
export interface NotificationsProps {
  readonly code: Code;
  readonly store: StateStore;
  readonly ready: PriorityQueues;
  /** The queues that the notifier may send to: those of submitters and of webhooks. */
  readonly responseQueues: readonly IQueue[];
  /** The variable of the response channels. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address that receives alerts and alarms. @default none: subscribe to the topic */
  readonly alarmEmail?: string | undefined;
  /** An existing topic for alerts and alarms. @default a new one */
  readonly alarmTopic?: ITopic | undefined;
  /** The bus for alerts and event channels. @default that of the account */
  readonly eventBus?: AnyEventBus | undefined;
  /** @default shared with the account */
  readonly reservedConcurrency?: number | undefined;
  readonly removal: RemovalPolicy;
}

/**
 * How long the stream retries a change that was neither delivered nor queued, because the function does not
 * start or SQS is unavailable. Half of a stream's retention, so that operators can still inspect the records.
 */
const maxRecordAge = Duration.hours(12);
const timeout = Duration.seconds(60);
const batchSize = 100;
/**
 * Concurrent batches of a shard; Lambda keeps the changes of an order in sequence. At 256 MiB a single batch
 * would deliver some 500 changes per second, its calls included (docs/aws.md, "Notification throughput").
 */
export const parallelizationFactor = 5;

/** The notifier with its queues, and the topic of the operators. */
export class Notifications extends Construct {
  readonly worker: ReeveFunction;
  /** What reads the change stream. */
  readonly stream: EventSourceMapping;
  /** Notifications to be delivered later; its dead letters failed for days. */
  readonly retries: RedeliveryQueue;
  /** Changes that were unreadable, or for hours neither delivered nor queued. */
  readonly failures: Queue;
  /** Alerts that could not be delivered to the operators' topic. */
  readonly undelivered: Queue;
  /** Alerts that the topic could not deliver by e-mail; undefined without an address. */
  readonly undeliveredMail: Queue | undefined;
  /** The topic for alarms and alerts. */
  readonly operators: ITopic;

  constructor(scope: Construct, id: string, props: NotificationsProps) {
    super(scope, id);
    const { store } = props;
    const deployment = deploymentOf(this);
    const bus = busOf(props.eventBus ?? EventBus.fromEventBusName(this, 'Bus', 'default'));
    const prefix = queuePrefix(this);
    this.retries = redeliveryQueue(new Construct(this, 'Retries'), {
      queueName: queueNames.retry(prefix),
      deadLetterName: deadLetterNames.retry(prefix),
      functionTimeout: timeout,
    });
    this.failures = deadLetterQueue(this, 'Failures', {
      queueName: deadLetterNames.change(prefix),
    });
    this.undelivered = deadLetterQueue(this, 'Undelivered', {
      queueName: deadLetterNames.alert(prefix),
    });
    const topic = props.alarmTopic ?? newTopic(this);
    this.operators = topic;
    allowAlarms(this, topic);
    this.undeliveredMail =
      props.alarmEmail === undefined
        ? undefined
        : mailTo(props.alarmEmail, topic, deadLetterNames.mail(prefix));
    this.worker = new ReeveFunction(this, 'Function', {
      name: 'notifier',
      code: props.code,
      description: 'Reeve: notifier',
      timeout,
      reservedConcurrency: props.reservedConcurrency,
      removal: props.removal,
      environment: {
        ...props.environment,
        ...queuesVariable(props.ready),
        REEVE_ORDERS_TABLE: store.orders.tableName,
        REEVE_EVENT_BUS: bus.eventBusName,
        REEVE_COMMAND: `npx reeve --stack ${deployment.reference}`,
      },
    });
    this.stream = new EventSourceMapping(this, 'Stream', {
      target: this.worker.target,
      eventSourceArn: store.streamArn,
      enabled: !deployment.standby,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      parallelizationFactor,
      // A change may wait for others to share its batch: notifications are not urgent by the second.
      maxBatchingWindow: Duration.seconds(1),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge,
      // The CDK's own destination grants more permissions than Lambda uses.
      onFailure: { bind: () => ({ destination: this.failures.queueArn }) },
      filters: [...notifiedChanges],
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    this.worker.allow(['sqs:SendMessage'], this.failures.queueArn);
    store.allowStream(this.worker);
    store.allowForget(this.worker);
    this.worker.allow(['events:PutEvents'], bus.eventBusArn);
    this.worker.allow(['sqs:SendMessage'], this.retries.queue.queueArn);
    allowResponses(this.worker, props.responseQueues);
    addRedeliveryConsumer(this.worker, this.retries);

    const alert = new Rule(this, 'Alert', {
      description: 'Reeve: alerts operators to an order in Error',
      ...(props.eventBus !== undefined && { eventBus: bus }),
      // Limited to this deployment, because alerts of others may arrive on the same bus.
      eventPattern: {
        account: [Stack.of(this).account],
        source: [eventSource],
        detailType: [alertDetailType],
        detail: { deployment: [deployment.name] },
      },
    });
    // Imported by ARN; otherwise the target would allow every rule of every account to publish.
    const known = Topic.fromTopicArn(this, 'OperatorsByArn', topic.topicArn);
    alert.addTarget(new SnsTopic(known, { message: alertText, deadLetterQueue: this.undelivered }));
    allowAlerts(this, topic);
  }
}

/**
 * Only changes that require a notification or deletion are worth an invocation: ends, Errors, and orders with
 * `replyTo`.
 */
const notifiedChanges = [
  FilterCriteria.filter({
    dynamodb: {
      NewImage: {
        ProcessState: {
          S: FilterRule.or('Processed', 'Undone', 'Error'),
        },
      },
    },
  }),
  FilterCriteria.filter({ dynamodb: { NewImage: { ReplyTo: { S: FilterRule.exists() } } } }),
  FilterCriteria.filter({ eventName: FilterRule.isEqual('REMOVE') }),
];

const alertText = RuleTargetInput.fromText(
  [
    `${EventField.fromPath('$.detail.text')}`,
    `Workflow ${EventField.fromPath('$.detail.workflow')}.`,
    `When the cause is fixed: ${EventField.fromPath('$.detail.remedy')}`,
  ].join(' '),
);

const newTopic = (scope: Construct) =>
  new Topic(scope, 'Operators', {
    displayName: 'Reeve: orders that need an operator',
    enforceSSL: true,
  });

/** A policy on the topic replaces the default one, by which alarms may publish. @param scope in the stack of the alarms */
function allowAlarms(scope: Construct, topic: ITopic): void {
  const format = { service: 'cloudwatch', resource: 'alarm' };
  const resourceName = ownNames(scope);
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  allowPublish(scope, topic, 'cloudwatch.amazonaws.com', [{ ...format, resourceName, arnFormat }]);
}

/** @param scope in the stack of the rule */
function allowAlerts(scope: Construct, topic: ITopic): void {
  const format = { service: 'events', resource: 'rule' };
  // A rule on a bus other than the default one has the name of the bus before its own.
  const names = [ownNames(scope), `*/${ownNames(scope)}`];
  const rules = names.map((resourceName) => ({ ...format, resourceName }));
  allowPublish(scope, topic, 'events.amazonaws.com', rules);
}

/** Allows a service to publish only on behalf of this stack's resources. */
function allowPublish(
  scope: Construct,
  topic: ITopic,
  service: string,
  sources: readonly ArnComponents[],
): void {
  const stack = Stack.of(scope);
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal(service)],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: { 'aws:SourceArn': sources.map((source) => stack.formatArn(source)) },
      },
    }),
  );
}

/** Subscribes the address and returns the queue of undeliverable mail. */
function mailTo(email: string, topic: ITopic, queueName: string): Queue {
  const undeliveredMail = deadLetterQueue(topic, 'Unmailed', { queueName });
  topic.addSubscription(new EmailSubscription(email, { deadLetterQueue: undeliveredMail }));
  return undeliveredMail;
}
