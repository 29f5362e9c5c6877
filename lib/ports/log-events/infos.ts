import type { EventEntry } from './event-entry.ts';

/** The events of the level `info`, by name. */
export const infos = {
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
} as const satisfies Readonly<Record<string, EventEntry>>;
