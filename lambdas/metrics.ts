/** Metrics in the embedded metric format: a log line, no call. Only those that AWS does not provide. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';

const metrics = new Metrics({ namespace: metricNamespace });

/** Publishes values above zero at once; a metric without data costs nothing. */
export function publish(values: Readonly<Partial<Record<MetricName, number>>>): void {
  const found = Object.entries(values).filter(([, value]) => value > 0);
  if (found.length === 0) return;
  for (const [name, value] of found) {
    const isTime = name === 'SweepLag' || name === 'HeldAge';
    metrics.addMetric(name, isTime ? MetricUnit.Seconds : MetricUnit.Count, value);
  }
  metrics.publishStoredMetrics();
}
