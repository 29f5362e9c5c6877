/** Metrics by embedded metric format: a line of log, no call. Only the few that AWS does not count itself. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';

const metrics = new Metrics({ namespace: metricNamespace });

/** Publishes the counts above zero, at once: a metric without data costs nothing. */
export function publishCounts(counts: Readonly<Partial<Record<MetricName, number>>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count > 0) metrics.addMetric(name, MetricUnit.Count, count);
  }
  metrics.publishStoredMetrics();
}
