/** What an operator should know and do first after an alarm; docs/runbook.md has the details. */

/** @param section its anchor in the runbook */
const withReference = (section: string, text: string) => `${text} More: docs/runbook.md#${section}`;

/** The text of each alarm. */
export const runbook = {
  orderInError: withReference(
    'order-in-error',
    'An order needs an operator. `reeve list --state Error`, then `reeve show ID` for the step, its fault and the commands that Reeve accepts. When the cause is fixed: `reeve resubmit ID`; or `reeve cancel ID` to undo it, which is refused after an irreversible step and in an undo.',
  ),
  deadLetters: withReference(
    'dead-letters',
    'Messages were parked or failed too often. `reeve dlq --stack STACK` shows each with its reason and what its order needs; `reeve dlq redrive --stack STACK --yes` sends back what still matters. The Supervisor asks again for what an order waits for; one of `Notifications`, `Changes`, a webhook or `Alerts` was not delivered, and one of `Submission` is an order that was not accepted.',
  ),
  oldMessages: withReference(
    'old-messages',
    'Messages wait for five minutes longer than they are delayed and handled, in a queue of undelivered notifications for half an hour. Check throttles, errors and the concurrency setting of the function that consumes this queue; for an agent that runs elsewhere, check whether it runs. Orders are not lost: late steps are tried again.',
  ),
  messagesReturned: withReference(
    'messages-returned',
    'A function returned messages that it had received ten times or more: their processing fails each time. The line `messages-returned` in the log of a function names the queue, the lines before it the reason. Orders are not lost; after a hundred receives the messages are dead letters.',
  ),
  webhookBehind: withReference(
    'webhook-behind',
    'The receiver of a webhook has accepted no status message for half an hour. Nothing is lost yet, and no order waits. The log of the webhook’s function has the receiver’s answers. Delivery is tried again at least every 15 minutes, for four days; then its messages are dead letters, which `reeve dlq redrive --yes` sends back.',
  ),
  notificationsBehind: withReference(
    'notifications-behind',
    'A response queue, or the event bus, has rejected status messages or alerts for half an hour. Nothing is lost, and no order waits. The log of the notifier has the channel and the reason. Delivery is tried again at least every 15 minutes, for four days; then the messages are dead letters, which `reeve dlq redrive --yes` sends back.',
  ),
  noSweep: withReference(
    'no-sweep',
    'The Supervisor has not completed a sweep for three periods: overdue steps are not recovered. Check its errors and log, and the health of DynamoDB and EventBridge. The next sweep does not count failures that the gap caused.',
  ),
  streamBehind: withReference(
    'stream-behind',
    'Status messages and alerts are late. Check the errors and the log of the notifier: it does not start, or SQS or DynamoDB reject its calls. An unavailable receiver does not delay others.',
  ),
  streamUnread: withReference(
    'stream-unread',
    'Records are written, and Lambda does not read their changes: no status message and no alert is sent, also not for orders in Error. Check that the event source mapping of the notifier is enabled, and its last result: a missing right, or a key. For 12 hours nothing is lost.',
  ),
  functionErrors: withReference(
    'function-errors',
    'Invocations failed as a whole. The log of the function has the reason. Its messages are delivered again, up to a hundred times; then they are dead letters.',
  ),
  throttles: withReference(
    'throttles',
    'Lambda refused invocations: the account or the function is at its concurrency limit. Raise the limit (docs/aws.md, quotas); throttled deliveries count towards dead letters.',
  ),
  tableThrottles: withReference(
    'table-throttles',
    'DynamoDB throttled requests to the table or index in the alarm’s name. For the Due or Recent index of Processes, raise `shards`; otherwise check the account’s table limits.',
  ),
  sweepBehind: withReference(
    'sweep-behind',
    'Sweeps are behind: orders are overdue for more than three periods before one reaches them. They are recovered late, and their failures count. Raise `shards`, and check the throttles of the index Due.',
  ),
  heldLong: withReference(
    'held-long',
    'Orders have waited for an agent for over 15 minutes: its service is unavailable, or it has fewer calls at once than its orders need. `reeve list --held --stack STACK` lists them, `reeve show ID` names the agent. Nothing has failed and nothing is to be resubmitted: they continue by themselves.',
  ),
  agentUnavailable: withReference(
    'agent-unavailable',
    'The service of an agent does not answer. Its orders wait without a failure and continue by themselves; there is nothing to resubmit. The log of the agent’s function names the agent, `circuit-opened`, or the endpoint, `endpoint-not-ejected`. Restore the service, or ask its owner to.',
  ),
  pastDue: withReference(
    'past-due',
    'Sweeps find many overdue orders: an agent or its service is slow or unavailable. The dashboard shows which agent fails; the circuit breaker limits its calls until it recovers.',
  ),
} as const;
