/** Metrics by embedded metric format: a line of log, no call. Only the few that AWS does not count itself. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';

const metrics = new Metrics({ namespace: metricNamespace });

/** Publishes the counts above zero, at once: a metric without data costs nothing. */
export function publishCounts(counts: Readonly<Partial<Record<MetricName, number>>>): void {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return;
  for (const [name, count] of found) metrics.addMetric(name, MetricUnit.Count, count);
  metrics.publishStoredMetrics();
}
