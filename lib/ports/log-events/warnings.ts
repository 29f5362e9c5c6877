import { type EventEntry, ofCall } from './event-entry.ts';

/** The events of the level `warn`, by name. */
export const warnings = {
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
  'clock-jumped': {
    level: 'warn',
    fields: ['aheadMs', 'doubtMs'],
    meaning:
      'The clock jumped ahead, or the machine slept; for so long, ended orders are deleted by the time that timers measure.',
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
  'messages-returned': {
    level: 'warn',
    fields: ['queue', 'messages', 'receives'],
    meaning:
      'Messages were returned to their queue that had been received ten times or more, up to `receives` times; other lines of the same invocation have the reason.',
  },
  'notification-deferred': {
    level: 'warn',
    fields: ['orderId', 'sequence', 'channel', 'error'],
    meaning:
      'A status message or alert was not delivered, and goes to the retry queue; with `InvalidAddress` in `error` its response queue is in another region, with `QueueDoesNotExist` it was deleted.',
  },
  'notification-failed': {
    level: 'warn',
    fields: ['orderId', 'error'],
    optional: ['tries', 'waitedMs', 'sequence', 'channel'],
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
  'reply-delay-unnoted': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'How long replies of an agent wait could not be noted; failures may be counted for calls whose replies wait (AWS).',
  },
  'reply-delay-unread': {
    level: 'warn',
    fields: ['agent', 'error'],
    meaning:
      'How long replies of an agent wait could not be read; the failures of its late calls are counted (AWS).',
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
    fields: ['agent', 'limit', 'error', 'code'],
    meaning:
      'The `key` of a limit threw an error or gave no text, so the call counts by a key that all such calls share, until the code is corrected.',
  },
  'limits-unknown': {
    level: 'warn',
    fields: ['error'],
    meaning:
      'The limits that all instances share could not be read or changed, so calls that they count wait for a second (AWS).',
  },
  'room-lost': {
    level: 'warn',
    fields: ['orderId', 'step', 'attempt', 'agent'],
    meaning:
      'A call that goes on no longer has room in a limit of calls at once, so another call may begin beside it: its room was over by the clock of another instance, or was removed from the Coordination table (AWS).',
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
} as const satisfies Readonly<Record<string, EventEntry>>;
