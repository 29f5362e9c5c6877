/** What an operator who is woken by an alarm should know and do first; docs/runbook.md says more. */

/** `section`: its anchor in the runbook. */
const withReference = (section: string, text: string) => `${text} More: docs/runbook.md#${section}`;

export const runbook = {
  orderInError: withReference(
    'order-in-error',
    'An order needs a person. `reeve list --state Error`, then `reeve show ID` for the step and its fault. When the cause is mended: `reeve resubmit ID`; or `reeve cancel ID` to undo it.',
  ),
  deadLetters: withReference(
    'dead-letters',
    'Messages were parked or given up. `reeve dlq --stack STACK` shows each with its reason and what its order needs; `reeve dlq redrive --stack STACK --yes` sends back what still matters. No order waits for them: the Supervisor sees to it.',
  ),
  oldMessages: withReference(
    'old-messages',
    'Messages wait longer than five minutes. Look at the throttles and errors of the function that works off this queue, and at its concurrency setting; of an agent that runs elsewhere, whether it runs. Orders are not lost: what comes too late is tried again.',
  ),
  webhookBehind: withReference(
    'webhook-behind',
    'The receiver of a webhook has taken no status message for half an hour; nothing is lost yet, and no order waits. The log of its function says what it answered. It is tried again at least every 15 minutes, for four days; then its messages are dead letters, which `reeve dlq redrive --yes` sends back.',
  ),
  notificationsBehind: withReference(
    'notifications-behind',
    'A response queue, or the event bus, has refused status messages or alerts for half an hour; nothing is lost, and no order waits. The log of the notifier says which channel and why. They are tried again at least every 15 minutes, for four days; then they are dead letters, which `reeve dlq redrive --yes` sends back.',
  ),
  noSweep: withReference(
    'no-sweep',
    'The Supervisor has not completed a sweep for three periods: overdue steps are not recovered. Look at its errors and log, and at the health of DynamoDB and EventBridge. The first sweep after it forgives what the gap has delayed.',
  ),
  streamBehind: withReference(
    'stream-behind',
    'Status messages and alerts are late. Look at the errors and the log of the notifier: it does not start, or SQS or DynamoDB refuse it. A receiver that is down does not hold it up.',
  ),
  functionErrors: withReference(
    'function-errors',
    'Invocations failed as a whole. The log of the function says why; its messages are delivered again, a hundred times before they are dead letters.',
  ),
  throttles: withReference(
    'throttles',
    'Lambda refused invocations: the account or the function is at its concurrency limit. Raise the limit (docs/aws.md, quotas); throttled deliveries count towards dead letters.',
  ),
  tableThrottles: withReference(
    'table-throttles',
    'DynamoDB refused requests, to a table or to one of its indexes: the alarm’s name says which. If it is the Due or Recent index of Processes, raise `shards`; else look at the account’s table limits.',
  ),
  sweepBehind: withReference(
    'sweep-behind',
    'Sweeps are behind: orders are overdue for more than three periods before one reaches them. They are recovered, late, and their failures count. Raise `shards`, and look at the throttles of the index Due.',
  ),
  pastDue: withReference(
    'past-due',
    'Sweeps find many overdue orders: an agent or its service is slow or away. See which agent fails on the dashboard; the circuit breaker keeps its calls few until it is back.',
  ),
} as const;
