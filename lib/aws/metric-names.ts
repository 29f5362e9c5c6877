/** The metrics that Reeve publishes itself; all others come from AWS. */
export const metricNamespace = 'Reeve';

/** Each with its unit and its meaning: docs/reference.md is generated from this table. */
export const metrics = {
  OrdersProcessed: { unit: 'Count', meaning: 'Orders that became Processed.' },
  OrdersUndone: { unit: 'Count', meaning: 'Orders that became Undone.' },
  OrdersInError: { unit: 'Count', meaning: 'Orders that went to Error.' },
  OrdersPastDue: { unit: 'Count', meaning: 'Orders that a sweep found past their due time.' },
  ShardsHandedOver: {
    unit: 'Count',
    meaning: 'Shards that a sweep passed to another invocation because they had too much work.',
  },
  AgentsUnavailable: {
    unit: 'Count',
    meaning:
      'The circuit of an agent opened, or a probe of its service failed: orders wait for the agent, and continue by themselves. Or more of its endpoints fail than may be ejected.',
  },
  OrdersInterrupted: {
    unit: 'Count',
    meaning: 'Orders dispatched again after an outage, without a failure counted.',
  },
  HeldAge: {
    unit: 'Seconds',
    meaning:
      'How long an order has waited for an agent whose gate lets no call through; published above 15 minutes.',
  },
  UndeliveredAge: {
    unit: 'Seconds',
    meaning:
      'How long a status message or an alert had waited when its delivery failed; published above 15 minutes. Of a webhook with the further dimension `webhook`, its name; otherwise of the retry queue.',
  },
  MessageReceives: {
    unit: 'Count',
    meaning:
      'How often a message had been received that a function returned to its queue once more; published from ten receives on.',
  },
  SweepLag: {
    unit: 'Seconds',
    meaning:
      'How long the most overdue order that a sweep found had been due; published above three sweep periods.',
  },
} as const;

export type MetricName = keyof typeof metrics;
