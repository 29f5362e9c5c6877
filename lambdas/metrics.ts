/** Metrics in the embedded metric format: a log line, no call. Only those that AWS does not provide. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { metrics as known, type MetricName, metricNamespace } from '#aws/metric-names.ts';
import { metricVariables, readConfig } from './config.ts';

// Alarms find metrics by the deployment. An existing function of a user has another name for its own logs and metrics.
const { REEVE_DEPLOYMENT: deployment } = readConfig(metricVariables);
const metrics = new Metrics({
  namespace: metricNamespace,
  ...(deployment !== undefined && { serviceName: deployment }),
});

/**
 * Publishes values above zero at once; a metric without data costs nothing.
 *
 * @param dimensions beside the deployment. CloudWatch charges each combination, so they have the values of a parameter of the stack
 */
export function publish(
  values: Readonly<Partial<Record<MetricName, number>>>,
  dimensions: Readonly<Record<string, string>> = {},
): void {
  const found = Object.entries(values).filter(([, value]) => value > 0);
  if (found.length === 0) return;
  for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value);
  for (const [name, value] of found) {
    if (isKnown(name)) metrics.addMetric(name, MetricUnit[known[name].unit], value);
  }
  metrics.publishStoredMetrics();
}

const isKnown = (name: string): name is MetricName => Object.hasOwn(known, name);
