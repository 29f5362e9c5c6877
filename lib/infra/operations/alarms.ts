/** Alarms to the operators' topic, each with a description of what to do. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { processIndexes } from '#aws/store/tables.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import type { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import { type AlarmThresholds, type Thresholds, thresholdsOf } from './alarm-thresholds.ts';
import { changesUnread, ownMetric, tableMetric, undelivered } from './metrics.ts';
import type { Notifications } from './notifications.ts';
import { runbook } from './runbook.ts';

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
/** What is handled within this time, s, moves no threshold of minutes. */
const soonSeconds = 60;
/** Of five minutes: a receiver may ask for 45 minutes between two tries, and the retry queue waits for 15 at most (fifo-batch.ts). */
const periodsBetweenTries = { webhook: 10, retries: 4 };
interface AlarmProps {
  readonly metric: IMetric;
  readonly text: string;
  /** @default 1 */
  readonly threshold?: number | undefined;
  /** @default 1 */
  readonly periods?: number | undefined;
  /** How many of the periods must be over the threshold. @default all */
  readonly datapoints?: number | undefined;
}

/** The alarms of a stack; each notifies the topic of the operators and names its page of the runbook. */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  private readonly action: SnsAction;
  private readonly thresholds: Thresholds;

  constructor(scope: Construct, id: string, operators: ITopic, thresholds: AlarmThresholds) {
    super(scope, id);
    this.action = new SnsAction(operators);
    this.thresholds = thresholdsOf(thresholds);
  }

  onOrders(sweepsEvery: Duration): void {
    this.raise('OrderInError', {
      metric: ownMetric(this, 'OrdersInError'),
      text: runbook.orderInError,
    });
    const { period, ...enough } = ofSweeps(3, sweepsEvery);
    const metric = ownMetric(this, 'OrdersPastDue').with({ period });
    const threshold = this.thresholds.ordersPastDue;
    this.raise('PastDue', { metric, text: runbook.pastDue, threshold, ...enough });
  }

  /** One alarm for an unavailable service, however many orders wait for it. */
  onCircuits(): void {
    const metric = ownMetric(this, 'AgentsUnavailable');
    this.raise('AgentUnavailable', { metric, text: runbook.agentUnavailable });
  }

  /**
   * A message stays in its queue, and grows older, while it is delayed, gathered and handled: a call of ten minutes is no backlog. SQS does
   * not say whether the age of a message begins with its delay; by its SentTimestamp it does.
   */
  onQueue(name: string, { queue, takenSeconds, delayMaxSeconds }: WorkQueue): void {
    const taken = takenSeconds > soonSeconds ? takenSeconds : 0;
    const expected = Duration.seconds(taken + delayMaxSeconds);
    this.onAge(name, queue, this.thresholds.oldMessage.plus(expected));
  }

  onWebhook({ channel, queue }: WebhookChannel): void {
    this.onAge(`Webhook-${channel}`, queue, this.thresholds.oldStatus);
    const metric = undelivered(this, channel);
    this.onUndelivered(`Webhook-${channel}Behind`, metric, {
      text: runbook.webhookBehind,
      periods: periodsBetweenTries.webhook,
    });
  }

  onRetries({ retries: { queue } }: Notifications): void {
    this.onAge('Notifications', queue, this.thresholds.oldStatus);
    this.onUndelivered('NotificationsBehind', undelivered(this), {
      text: runbook.notificationsBehind,
      periods: periodsBetweenTries.retries,
    });
  }

  /** SQS leaves out messages that were received three times (SQS, Available CloudWatch metrics): those have alarms of their own. */
  private onAge(name: string, queue: Queue, threshold: Duration): void {
    this.raise(`${name}Old`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: minute }),
      text: runbook.oldMessages,
      threshold: threshold.toSeconds(),
      periods: 3,
    });
  }

  /** Published at each try that fails: the alarm lasts from one to the next. */
  private onUndelivered(
    id: string,
    metric: IMetric,
    props: Required<Pick<AlarmProps, 'text' | 'periods'>>,
  ): void {
    const threshold = this.thresholds.oldStatus.toSeconds();
    this.raise(id, { metric, threshold, datapoints: 1, ...props });
  }

  /** One alarm for messages of all work queues that keep failing: the log of a function names the queue. */
  onReturned(): void {
    const metric = ownMetric(this, 'MessageReceives', Stats.MAXIMUM);
    this.raise('MessagesReturned', { metric, text: runbook.messagesReturned });
  }

  onDeadLetters(name: string, queue: Queue): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes });
    this.raise(`${name}DeadLetters`, { metric, text: runbook.deadLetters });
  }

  onFunction(name: string, worker: IFunction): void {
    const errors = worker.metricErrors({ period: fiveMinutes });
    const alarm = this.raise(`${name}Errors`, { metric: errors, text: runbook.functionErrors });
    if (worker instanceof ReeveFunction) worker.rollBackOn(alarm);
    const throttles = worker.metricThrottles({ period: fiveMinutes });
    this.raise(`${name}Throttles`, { metric: throttles, text: runbook.throttles });
  }

  /** Where the stream is not read, it has no age either: only that records are written shows it. */
  onStream({ worker, stream }: Notifications, store: StateStore): void {
    const unread = changesUnread(store, stream);
    this.raise('StreamUnread', { metric: unread, text: runbook.streamUnread, periods: 3 });
    const metric = worker.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: minute });
    const threshold = fiveMinutes.toMilliseconds();
    this.raise('StreamBehind', { metric, text: runbook.streamBehind, threshold, periods: 3 });
  }

  onTables({ orders, processes, coordination }: StateStore): void {
    for (const [name, table] of Object.entries({ orders, processes, coordination })) {
      this.onThrottling(name, table, {});
    }
    // An index has partitions and limits of its own, and throttles first because it has few keys.
    for (const { name } of processIndexes) {
      this.onThrottling(`processes${name}`, processes, { GlobalSecondaryIndexName: name });
    }
  }

  private onThrottling(
    name: string,
    table: StateStore['orders'],
    dimensionsMap: Readonly<Record<string, string>>,
  ): void {
    for (const metricName of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
      const common = { metricName, dimensionsMap, statistic: Stats.SUM, period: fiveMinutes };
      const metric = tableMetric(table, common);
      this.raise(`${name}${metricName}`, { metric, text: runbook.tableThrottles });
    }
  }

  /**
   * The only alarm on missing data, except in a standby, which makes no sweeps. A completed sweep is the only PutItem on the Coordination table, and
   * DynamoDB counts it for free; a metric of Reeve's own would be most of the cost of an idle month.
   */
  onSweeps({ coordination }: StateStore, every: Duration): void {
    const metric = tableMetric(coordination, {
      metricName: 'SuccessfulRequestLatency',
      dimensionsMap: { Operation: 'PutItem' },
      statistic: Stats.SAMPLE_COUNT,
      period: every,
    });
    this.add(
      new Alarm(this, 'NoSweep', {
        metric,
        alarmDescription: runbook.noSweep,
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        evaluationPeriods: 3,
        treatMissingData: deploymentOf(this).standby
          ? TreatMissingData.NOT_BREACHING
          : TreatMissingData.BREACHING,
      }),
    );
  }

  /** Raised when overdue orders wait longer than three sweep periods. Their failures still count. */
  onLag(every: Duration): void {
    const { period, ...enough } = ofSweeps(2, every);
    const metric = ownMetric(this, 'SweepLag', Stats.MAXIMUM).with({ period });
    const threshold = 3 * every.toSeconds();
    this.raise('SweepBehind', { metric, text: runbook.sweepBehind, threshold, ...enough });
  }

  /** An order that waits is asked about every 15 minutes: the alarm lasts from one time to the next. */
  onHolds(): void {
    const metric = ownMetric(this, 'HeldAge', Stats.MAXIMUM);
    const threshold = this.thresholds.held.toSeconds();
    const text = runbook.heldLong;
    this.raise('HeldLong', { metric, text, threshold, periods: 4, datapoints: 1 });
  }

  private raise(id: string, props: AlarmProps): Alarm {
    const { metric, text, threshold = 1, periods = 1, datapoints = periods } = props;
    return this.add(
      new Alarm(this, id, {
        metric,
        alarmDescription: text,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: periods,
        ...(datapoints < periods && { datapointsToAlarm: datapoints }),
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }),
    );
  }

  private add(alarm: Alarm): Alarm {
    alarm.addAlarmAction(this.action);
    this.all.push(alarm);
    return alarm;
  }
}

/**
 * The periods of an alarm on what sweeps find, so that each has a sweep. A rare sweep that is some seconds late leaves its period
 * without any: then one period more is looked at.
 */
function ofSweeps(periods: number, every: Duration) {
  return every.toSeconds() < fiveMinutes.toSeconds()
    ? { period: fiveMinutes, periods }
    : { period: every, periods: periods + 1, datapoints: periods };
}
