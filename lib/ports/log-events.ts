/**
 * The events that Reeve logs, each with its level, the fields of its line and its meaning: docs/reference.md is
 * generated from this table. Only types of it are imported by the code that logs.
 */

interface EventEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: readonly string[];
  /** Fields that only some lines of the event have. */
  readonly optional?: readonly string[];
  readonly meaning: string;
}

const ofStore = ['file', 'table', 'row', 'reason'] as const;
const ofCall = ['orderId', 'step', 'attempt', 'agent', 'error', 'code'] as const;

/** All events, by name. */
export const logEvents = {
  access: {
    level: 'info',
    fields: ['method', 'path', 'principal', 'tenant', 'status', 'submitted'],
    meaning: 'A request that changes something was answered, or a request was refused (embedded).',
  },
  'agent-changed': {
    level: 'info',
    fields: ['agent', 'change', 'by'],
    optional: ['weight'],
    meaning:
      'An operator changed an agent: `drain` and `resume` end and continue its new calls; `weight` is its new share, null for that of the definition.',
  },
  'limit-changed': {
    level: 'info',
    fields: ['limit', 'by', 'isAsDefined'],
    meaning:
      'An operator changed how much a limit allows; `isAsDefined`: it is as its definition says again.',
  },
  'circuit-closed': {
    level: 'info',
    fields: ['agent', 'openMs'],
    optional: ['held'],
    meaning:
      'The service of an agent is available again after `openMs`; `held` steps still wait for it (embedded).',
  },
  'ended-orders-deleted': {
    level: 'info',
    fields: ['orders'],
    meaning: 'Orders that ended longer ago than `REEVE_KEEP_DAYS` were deleted.',
  },
  recovered: {
    level: 'info',
    fields: ['found', 'changed'],
    meaning: 'After a start, all orders that the last process left were recovered.',
  },
  started: {
    level: 'info',
    fields: ['alive'],
    meaning: 'Reeve has started; `alive` is the number of orders that have not ended.',
  },
  'stored-orders-checked': {
    level: 'info',
    fields: ['orders', 'damaged'],
    meaning: 'The check of all stored orders, which runs after a start, is complete.',
  },
  'tokens-read': {
    level: 'info',
    fields: ['tokens'],
    meaning: 'The file of named tokens has changed and was read again.',
  },
  'agent-settings-unread': {
    level: 'warn',
    fields: ['error'],
    meaning:
      'What operators changed of agents could not be read; what was known before counts until the next read.',
  },
  'call-failed': {
    level: 'warn',
    fields: ofCall,
    meaning: 'A call of an agent failed; it is retried until the deadline of the step.',
  },
  'change-newer': {
    level: 'warn',
    fields: ['changes'],
    meaning: 'A newer release wrote changes to the stream; they are left for the newer notifier.',
  },
  'control-unavailable': {
    level: 'warn',
    fields: ['path', 'error'],
    meaning: 'The socket for `reeve backup` cannot be opened; no backup can be made.',
  },
  'heartbeat-lost': {
    level: 'warn',
    fields: ofCall,
    meaning: 'A heartbeat could not be sent, so the deadline of its step was not extended.',
  },
  'message-newer': {
    level: 'warn',
    fields: ['messageId', 'reason'],
    meaning: 'A newer release wrote a message; it stays on its queue for a newer consumer.',
  },
  'checks-lost': {
    level: 'warn',
    fields: ['checks', 'error'],
    meaning: 'Deadline checks could not be sent; the sweep finds their orders when they are due.',
  },
  'orders-not-accepted': {
    level: 'warn',
    fields: ['by', 'of', 'refused', 'overloaded', 'failed'],
    meaning:
      'Of the `of` orders of a bulk submission by the principal `by`, which was answered with 200, so many were not accepted: `refused` must be changed, `overloaded` came while too many orders waited, and `failed` met a fault of the store or a defect.',
  },
  'look-ahead-failed': {
    level: 'warn',
    fields: ['shard', 'error'],
    meaning:
      'Orders that wait for longer than a message can be delayed were not nudged ahead of their instant; the sweep finds them when they are due.',
  },
  'messages-lost': {
    level: 'warn',
    fields: ['nudges', 'requests', 'error', 'code'],
    meaning: 'Messages could not be sent; the Supervisor sends them again when they are due.',
  },
  'messages-not-hidden': {
    level: 'warn',
    fields: ['error'],
    optional: ['messages', 'orderId'],
    meaning: 'The delay before a redelivery could not be set; that of the queue applies.',
  },
  'notification-deferred': {
    level: 'warn',
    fields: ['orderId', 'sequence', 'channel', 'error'],
    meaning: 'A status message or alert was not delivered; it goes to the retry queue.',
  },
  'notification-failed': {
    level: 'warn',
    fields: ['orderId', 'error'],
    optional: ['tries', 'sequence', 'channel'],
    meaning: 'The delivery of a status message or an alert failed; it is retried.',
  },
  'order-refused': {
    level: 'warn',
    fields: ['orderId', 'code'],
    meaning: 'The store refused a record as it was; a shorter record is written in its place.',
  },
  'outage-detected': {
    level: 'warn',
    fields: ['shard', 'from', 'until'],
    meaning: 'No sweep reached the shard in this period; its orders count no failure for it.',
  },
  'reply-failed': {
    level: 'warn',
    fields: ofCall,
    meaning: 'An agent could not send its reply; its request is delivered again.',
  },
  'silent-after-complete-by': {
    level: 'warn',
    fields: ['orderId', 'step', 'attempt', 'agent'],
    meaning: 'The deadline of a step passed during its call; the agent sends no reply.',
  },
  'held-for-long': {
    level: 'warn',
    fields: ['agent', 'gate', 'heldMs'],
    meaning:
      'An order has waited for an agent for more than 15 minutes, and continues by itself; logged at most every five minutes for each agent.',
  },
  'circuit-unavailable': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'The circuit that the instances of an agent share could not be read or stored; the instance goes on with what it knows (AWS).',
  },
  'endpoint-ejected': {
    level: 'warn',
    fields: ['agent', 'endpoint', 'ejectedMs', 'count'],
    meaning:
      'An endpoint of a service fails and is not called for `ejectedMs`, after `count` ejections in succession.',
  },
  'ejections-unavailable': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'The ejected endpoints that the instances of an agent share could not be read or stored; the instance goes by its own calls (AWS).',
  },
  'load-unknown': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'The queues or the circuit of an agent could not be read; the Scheduler goes on with what it knows (AWS).',
  },
  'backlog-unknown': {
    level: 'warn',
    fields: ['error'],
    meaning:
      'How many orders wait could not be read or stored; the front door goes on with what it knows, for at most three sweep periods, and then accepts every order (AWS).',
  },
  'limit-key-failed': {
    level: 'error',
    fields: ['agent', 'limit', 'error'],
    meaning:
      'The `key` of a limit threw an error or gave no text, so the call counts by a key that all such calls share, until the code is corrected.',
  },
  'limits-unknown': {
    level: 'warn',
    fields: ['error'],
    meaning:
      'The limits that all instances share could not be read or changed, so calls that they count wait for a second (AWS).',
  },
  'held-steps-unread': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'The steps that wait for an agent could not be read; a later reply or sweep starts them (AWS).',
  },
  'sweep-behind': {
    level: 'warn',
    fields: ['shard', 'lagMs'],
    meaning: 'The sweep found an order that had been due for more than three periods.',
  },
  'agent-setting-unreadable': {
    level: 'error',
    fields: ['agent', 'kind'],
    meaning:
      'What an operator changed of an agent (`drained` or `weight`) is stored in a form that this release cannot read, so that it has no effect until it is changed again.',
  },
  'circuit-opened': {
    level: 'error',
    fields: ['agent'],
    optional: ['held'],
    meaning:
      'The service of an agent is unavailable; its orders, `held` of them now (embedded), wait without a failure and continue by themselves once it is restored.',
  },
  'endpoint-not-ejected': {
    level: 'error',
    fields: ['agent', 'endpoint'],
    meaning:
      'An endpoint of a service fails and is called all the same, because half of the weight of the endpoints stays in use; logged once until it answers again or is ejected.',
  },
  'activity-incomplete': {
    level: 'error',
    fields: ['error'],
    meaning: 'The live orders could not be counted, so `GET /activity` shows too few.',
  },
  'batch-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'A batch of messages failed as a whole; all its messages are delivered again.',
  },
  'change-parked': {
    level: 'error',
    fields: ['orderId', 'reason'],
    meaning: 'A change in the stream cannot be read; it becomes a dead letter.',
  },
  'channel-behind': {
    level: 'error',
    fields: ['channel', 'since', 'undelivered', 'error'],
    meaning: 'A response channel, or the one for alerts (`null`), has failed for too long.',
  },
  'channel-caught-up': {
    level: 'error',
    fields: ['channel', 'undelivered'],
    meaning: 'A channel that was behind accepts messages again.',
  },
  'deadlines-repaired': {
    level: 'error',
    fields: ['orders'],
    meaning:
      'Orders were due at a time that the clock cannot have meant; they were made due again.',
  },
  'delivery-failed': {
    level: 'error',
    fields: ['channel', 'error'],
    meaning: 'A batch of messages inside the process failed; it is delivered again.',
  },
  'invocation-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'Simulator only: a simulated function threw an error.',
  },
  'message-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'The Scheduler could not process a message; it is delivered again or parked.',
  },
  'message-parked': {
    level: 'error',
    fields: ['reason'],
    optional: ['messageId', 'channel'],
    meaning: 'A message that cannot be processed became a dead letter.',
  },
  'notifications-not-kept': {
    level: 'error',
    fields: ['notifications', 'error'],
    meaning: 'The retry queue refused notifications; the stream delivers their changes again.',
  },
  'order-in-error': {
    level: 'error',
    fields: ['orderId', 'correlationId', 'step', 'fault', 'attempts', 'remedy'],
    meaning: 'An order is in Error; level info where the alert is shown on a terminal (embedded).',
  },
  'order-unwritable': {
    level: 'error',
    fields: ['orderId', 'code'],
    meaning: 'The store refuses an order even in its shortest form; an operator must delete it.',
  },
  'orders-not-deleted': {
    level: 'error',
    fields: ['orders', 'error'],
    meaning: 'The details of expired orders could not be deleted; it is tried again.',
  },
  'parking-failed': {
    level: 'error',
    fields: ['error'],
    optional: ['messageId', 'orderId'],
    meaning: 'A dead letter could not be stored; its message is delivered again.',
  },
  'prompt-recovery-failed': {
    level: 'warn',
    fields: ['orders', 'error'],
    meaning:
      'Orders that are due were not recovered at their instant; the next sweep recovers them (embedded).',
  },
  'recovery-delayed': {
    level: 'error',
    fields: ['orders', 'error'],
    meaning: 'After a start, orders could not be recovered; it is tried again.',
  },
  'recovery-failed': {
    level: 'error',
    fields: ['orderId', 'error'],
    meaning: 'An overdue order could not be recovered; the next sweep tries it again.',
  },
  'request-failed': {
    level: 'error',
    fields: ['route', 'error', 'reason'],
    meaning: 'A request to the API was answered with 500 or 503.',
  },
  'retention-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'Orders whose time is over could not be deleted; it is tried again.',
  },
  'listener-failed': {
    level: 'error',
    fields: ['listener', 'error'],
    meaning:
      'A function that the application gave to Reeve threw; no order depends on it (embedded).',
  },
  'line-unreadable': {
    level: 'error',
    fields: ['orderId', 'line', 'error'],
    meaning:
      'An order was deleted and not taken out of the line of its singleton key, which cannot be read: orders of that key that wait do not begin until the item of the line is restored from a backup, or removed by hand when all of them have ended.',
  },
  'singleton-key-failed': {
    level: 'error',
    fields: ['workflow', 'error'],
    meaning:
      'The function `singleton.key` of a workflow threw, or returned no text: the submission was refused.',
  },
  'store-damaged': {
    level: 'error',
    fields: ofStore,
    meaning: 'Stored data are not as they were written; other orders continue.',
  },
  'store-full': {
    level: 'error',
    fields: ofStore,
    meaning: 'The disk has no space; writes are refused until it has space again.',
  },
  'store-unavailable': {
    level: 'error',
    fields: ofStore,
    meaning: 'The disk or SQLite refuses writes; they are refused until one succeeds again.',
  },
  'store-writable': {
    level: 'error',
    fields: ['file', 'after'],
    meaning: 'A write succeeded again; `after` is the code of the condition that is over.',
  },
  'submission-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'A submission from the queue could not be stored; it is delivered again.',
  },
  'sweep-failed': {
    level: 'error',
    fields: ['error'],
    meaning: 'A sweep failed; the next one continues.',
  },
  'tokens-unusable': {
    level: 'error',
    fields: ['reason'],
    meaning: 'The changed file of named tokens cannot be used; the former tokens stay valid.',
  },
  'totals-file-unwritten': {
    level: 'error',
    fields: ['commits', 'reason'],
    meaning: 'The file that counts the commits could not be written; it is tried again.',
  },
  'unreadable-order-left-out': {
    level: 'error',
    fields: ['orderId', 'from', 'code', 'reason'],
    meaning: 'A stored order cannot be read; the listing or sweep named in `from` omits it.',
  },
} as const satisfies Readonly<Record<string, EventEntry>>;
