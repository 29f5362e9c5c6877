/** The metrics that alarms and the dashboard read beside those of the constructs of the CDK. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';
import { deploymentOf } from '#infra/deployment/deployment.ts';
import type { StateStore } from '#infra/order-tables.ts';

/** A metric of a table. */
export function tableMetric(
  { tableName }: StateStore['orders'],
  { dimensionsMap, ...props }: Omit<MetricProps, 'namespace'>,
): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    dimensionsMap: { TableName: tableName, ...dimensionsMap },
    ...props,
  });
}

/**
 * 1 where records were written and Lambda read none of their changes, otherwise 0. A write whose condition fails makes no change, and
 * counts in the consumed units, but not as a successful request. Lambda publishes 0 where it reads and finds nothing, and no value where
 * it does not read.
 */
export function changesUnread(
  { processes }: StateStore,
  stream: EventSourceMapping,
): MathExpression {
  const written = tableMetric(processes, {
    metricName: 'SuccessfulRequestLatency',
    dimensionsMap: { Operation: 'PutItem' },
    statistic: Stats.SAMPLE_COUNT,
  });
  const read = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'PolledEventCount',
    dimensionsMap: { EventSourceMappingUUID: stream.eventSourceMappingId },
    statistic: Stats.SUM,
  });
  return new MathExpression({
    expression: 'IF(FILL(written, 0) > 0 AND FILL(read, 0) == 0, 1, 0)',
    usingMetrics: { written, read },
    label: 'Records were written, and no change was read',
    period: Duration.minutes(5),
  });
}

/** A metric that Reeve publishes itself. @param dimensions beside the deployment, as its function publishes it */
export function ownMetric(
  scope: Construct,
  name: MetricName,
  statistic: string = Stats.SUM,
  dimensions: Readonly<Record<string, string>> = {},
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName: name,
    dimensionsMap: { service: deploymentOf(scope).name, ...dimensions },
    statistic,
    period: Duration.minutes(5),
  });
}

/** How long a message had waited when its delivery failed. @param webhook its name @default that of the retry queue */
export const undelivered = (scope: Construct, webhook?: string): Metric =>
  ownMetric(scope, 'UndeliveredAge', Stats.MAXIMUM, webhook === undefined ? {} : { webhook });
