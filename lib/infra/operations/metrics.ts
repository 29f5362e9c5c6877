/** The metrics that alarms and the dashboard read beside those of the constructs of the CDK. */
import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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
