/** The delivery of a message, from the outcome of its event. */
import { CorruptDataError, loggedText, RefusedError } from '#core/model/errors.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import type { Outcome } from './transitions/transitions.ts';

/** A message that comes earlier than this before its time, ms, comes from a wrong clock: a sweep finds its order. */
export const earlyMaxMs = 30_000;

/** Parks a message that no redelivery can help: its order is unknown, corrupt or refused by the store (R19). */
export function deliveryOf(outcome: Outcome, log: Log): Delivery {
  switch (outcome.kind) {
    case 'committed':
    case 'ignored':
      return { kind: 'done' };
    case 'unknown-order':
      return { kind: 'park', reason: 'unknown-order' };
    case 'failed': {
      const { error } = outcome;
      log.error('message-failed', { error: loggedText(error) });
      return error instanceof CorruptDataError || error instanceof RefusedError
        ? { kind: 'park', reason: error.code }
        : { kind: 'retry' };
    }
  }
}
