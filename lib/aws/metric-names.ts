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
  /** Orders dispatched again after an outage, without a failure counted. */
  | 'OrdersInterrupted'
  /** How long the order had been due that a sweep found due longest, s; where that is over three periods. */
  | 'SweepLag';
