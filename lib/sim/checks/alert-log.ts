/**
 * What operators were told, and that they are told once (R17). An alert may be repeated because its sender
 * does not know that it arrived, or was kept for later, or because the platform delivers a change again; never because somebody
 * else could not be told of the same change.
 */

import type { Notified } from '#checkers/notification-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { Machine } from '#sim/world/machine.ts';

type Id = Pick<Notified, 'orderId' | 'sequence'>;

export interface AlertLog {
  readonly all: readonly Notified[];
  /** It arrives. */
  deliver(alert: Notified): void;
  /** It is kept for later. */
  store(alert: Id): void;
  /** Its sender knows that it is kept: until then it may send it by the other way as well. */
  storedIsKnown(alert: Id): void;
  /** Its sender knows that it has arrived. */
  arrivalIsKnown(alert: Notified, by: Machine): void;
  /** The invocation in which its change was handled has ended, and its answer was taken. */
  settle(of: { readonly orderId: string; readonly revision: number }, by: Machine): void;
}

export function alertLog(breach: Breach): AlertLog {
  const all: Notified[] = [];
  const knownBy = new Map<string, string>();
  const settled = new Set<string>();
  /** How many stored copies no sender knows of. */
  const unknownCopies = new Map<string, number>();
  const idOf = (orderId: string, sequence: number) => `${orderId} ${sequence}`;
  return {
    all,
    deliver(alert) {
      const id = idOf(alert.orderId, alert.sequence);
      all.push(alert);
      if (settled.has(id) && !unknownCopies.has(id))
        breach('R17', `operators were alerted again to ${id}`);
    },
    store({ orderId, sequence }) {
      const id = idOf(orderId, sequence);
      unknownCopies.set(id, (unknownCopies.get(id) ?? 0) + 1);
    },
    storedIsKnown({ orderId, sequence }) {
      const id = idOf(orderId, sequence);
      const others = (unknownCopies.get(id) ?? 0) - 1;
      if (others > 0) unknownCopies.set(id, others);
      else unknownCopies.delete(id);
    },
    arrivalIsKnown({ orderId, sequence }, { name }) {
      knownBy.set(idOf(orderId, sequence), name);
    },
    settle({ orderId, revision }, { name }) {
      const id = idOf(orderId, revision);
      if (knownBy.get(id) === name) settled.add(id);
    },
  };
}
