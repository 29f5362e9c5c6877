/** The metrics that Reeve publishes itself; all others come from AWS. */
export const metricNamespace = 'Reeve';

export type MetricName =
  | 'OrdersProcessed'
  | 'OrdersUndone'
  | 'OrdersInError'
  /** Orders that a sweep found past their due time. */
  | 'OrdersPastDue'
  /** Shards that a sweep passed to another invocation because they had too much work. */
  | 'ShardsHandedOver'
  /** Orders dispatched again after an outage, without a failure counted. */
  | 'OrdersInterrupted'
  /** How long the most overdue order that a sweep found had been due, s; published above three sweep periods. */
  | 'SweepLag';
