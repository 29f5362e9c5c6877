/** Metrics in the embedded metric format: a log line, no call. Only those that AWS does not provide. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type MetricName, metricNamespace } from '#aws/metric-names.ts';
import { metricVariables, readConfig } from './config.ts';

// Alarms find metrics by the deployment. An existing function of a user has another name for its own logs and metrics.
const { REEVE_DEPLOYMENT: deployment } = readConfig(metricVariables);
const metrics = new Metrics({
  namespace: metricNamespace,
  ...(deployment !== undefined && { serviceName: deployment }),
});

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
