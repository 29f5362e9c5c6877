/** Alarms to the operators' topic, each with a description of what to do. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  type MetricProps,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';
import { processIndexes } from '#aws/store/tables.ts';
import type { ReeveFunction } from '#infra/functions/reeve-function.ts';
import type { StateStore } from '#infra/order-tables.ts';
import type { WebhookChannel } from '#infra/queues/webhook-channel.ts';
import type { WorkQueue } from '#infra/queues/work-queue.ts';
import type { Notifications } from './notifications.ts';
import { runbook } from './runbook.ts';

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
/** Age of the oldest message that raises an alarm, s. */
const oldMessageSeconds = 300;
/** Age of the oldest status message that raises an alarm, s: above the longest delay between tries. */
const oldStatusSeconds = 1_800;
/** Overdue orders per minute; a few are normal. */
const pastDueMax = 100;

interface AlarmProps {
  readonly metric: IMetric;
  readonly text: string;
  /** @default 1 */
  readonly threshold?: number;
  /** @default 1 */
  readonly periods?: number;
  /** How many of the periods must be over the threshold. @default all */
  readonly datapoints?: number;
}

/** The alarms of a stack; each notifies the topic of the operators and names its page of the runbook. */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  private readonly action: SnsAction;

  constructor(scope: Construct, id: string, operators: ITopic) {
    super(scope, id);
    this.action = new SnsAction(operators);
  }

  onOrders(): void {
    this.raise('OrderInError', {
      metric: ownMetric(this, 'OrdersInError'),
      text: runbook.orderInError,
    });
    const metric = ownMetric(this, 'OrdersPastDue');
    this.raise('PastDue', { metric, text: runbook.pastDue, threshold: pastDueMax, periods: 3 });
  }

  /** One alarm for an unavailable service, however many orders wait for it. */
  onCircuits(): void {
    const metric = ownMetric(this, 'AgentsUnavailable');
    this.raise('AgentUnavailable', { metric, text: runbook.agentUnavailable });
  }

  onQueue(name: string, { queue }: WorkQueue): void {
    this.raise(`${name}Old`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: minute }),
      text: runbook.oldMessages,
      threshold: oldMessageSeconds,
      periods: 3,
    });
  }

  onWebhook({ channel, queue }: WebhookChannel): void {
    this.raise(`Webhook-${channel}Behind`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: fiveMinutes }),
      text: runbook.webhookBehind,
      threshold: oldStatusSeconds,
      periods: 3,
    });
  }

  onRetries({ retries: { queue } }: Notifications): void {
    this.raise('NotificationsBehind', {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: fiveMinutes }),
      text: runbook.notificationsBehind,
      threshold: oldStatusSeconds,
      periods: 3,
    });
  }

  onDeadLetters(name: string, queue: Queue): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes });
    this.raise(`${name}DeadLetters`, { metric, text: runbook.deadLetters });
  }

  onFunction(name: string, worker: ReeveFunction): void {
    const errors = worker.metricErrors({ period: fiveMinutes });
    this.raise(`${name}Errors`, { metric: errors, text: runbook.functionErrors });
    const throttles = worker.metricThrottles({ period: fiveMinutes });
    this.raise(`${name}Throttles`, { metric: throttles, text: runbook.throttles });
  }

  onStream(notifier: ReeveFunction): void {
    const metric = notifier.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: minute });
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
   * The only alarm on missing data. A completed sweep is the only PutItem on the Coordination table, and
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
        treatMissingData: TreatMissingData.BREACHING,
      }),
    );
  }

  /** Raised when overdue orders wait longer than three sweep periods. Their failures still count. */
  onLag(every: Duration): void {
    const metric = ownMetric(this, 'SweepLag', Stats.MAXIMUM);
    const threshold = 3 * every.toSeconds();
    this.raise('SweepBehind', { metric, text: runbook.sweepBehind, threshold, periods: 2 });
  }

  /** An order that waits is asked about every 15 minutes: the alarm lasts from one time to the next. */
  onHolds(): void {
    const metric = ownMetric(this, 'HeldAge', Stats.MAXIMUM);
    const threshold = Duration.minutes(15).toSeconds();
    const text = runbook.heldLong;
    this.raise('HeldLong', { metric, text, threshold, periods: 4, datapoints: 1 });
  }

  private raise(id: string, props: AlarmProps): void {
    const { metric, text, threshold = 1, periods = 1, datapoints = periods } = props;
    this.add(
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

  private add(alarm: Alarm): void {
    alarm.addAlarmAction(this.action);
    this.all.push(alarm);
  }
}

function tableMetric(
  { tableName }: StateStore['orders'],
  { dimensionsMap, ...props }: Omit<MetricProps, 'namespace'>,
): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    dimensionsMap: { TableName: tableName, ...dimensionsMap },
    ...props,
  });
}

/** A metric that Reeve publishes itself. */
export function ownMetric(
  scope: Construct,
  name: MetricName,
  statistic: string = Stats.SUM,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName: name,
    dimensionsMap: { service: Stack.of(scope).stackName },
    statistic,
    period: fiveMinutes,
  });
}
