/** The metrics Reeve publishes itself; all else is read off AWS's own. */
export const metricNamespace = 'Reeve';

export type MetricName =
  | 'OrdersProcessed'
  | 'OrdersUndone'
  | 'OrdersInError'
  /** Orders a sweep found past their due time. */
  | 'OrdersPastDue'
  /** Shards with so much to do that they were handed over. */
  | 'ShardsHandedOver'
  /** Sweeps that forgave what an outage had delayed. */
  | 'OutagesForgiven';
