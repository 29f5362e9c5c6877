/** What becomes of a delivered message: the same words for a queue's batch and an in-process channel. */
import { CorruptDataError, RefusedError } from '#core/errors.ts';
import type { Log } from '#ports/log.ts';
import type { Outcome } from './transitions.ts';

/**
 * `done`: its effect is durable, or it never will have one. `retry`: deliver it again. `park`: no
 * redelivery helps; it belongs in a dead-letter queue with the reason (R19).
 */
export type Delivery =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'park'; readonly reason: string };

export function deliveryOf(outcome: Outcome, log: Log): Delivery {
  switch (outcome.kind) {
    case 'committed':
    case 'ignored':
      return { kind: 'done' };
    case 'unknown-order':
      return { kind: 'park', reason: 'unknown-order' };
    case 'failed': {
      const { error } = outcome;
      log.error('message-failed', { error: error instanceof Error ? error.message : 'unknown' });
      return error instanceof CorruptDataError || error instanceof RefusedError
        ? { kind: 'park', reason: error.code }
        : { kind: 'retry' };
    }
  }
}
