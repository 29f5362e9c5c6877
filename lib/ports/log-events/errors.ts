import { type EventEntry, ofStore } from './event-entry.ts';

/** The events of the level `error`, by name. */
export const errors = {
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
    meaning: 'A change in the stream that cannot be read became a dead letter.',
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
  'orders-without-definition': {
    level: 'error',
    fields: ['workflow', 'version', 'orders', 'orderId', 'isChanged'],
    meaning:
      'After a start, so many orders in Error, such as `orderId`, need a definition that does not run (`isChanged`: it was changed under the same version): resubmitted or cancelled without it, they stop again with `workflow-unknown`; level info where this is shown on a terminal (embedded).',
  },
  'orders-not-deleted': {
    level: 'error',
    fields: ['orders', 'error'],
    meaning: 'The details of expired orders could not be deleted; it is tried again.',
  },
  'parking-failed': {
    level: 'error',
    fields: ['reason', 'error'],
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
    fields: ['workflow', 'error', 'code'],
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
    fields: ['error', 'code'],
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
