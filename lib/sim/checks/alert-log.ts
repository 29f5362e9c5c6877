/**
 * The alerts to operators, and the check that each arrives once (R17). A duplicate is allowed when the sender did
 * not learn that an alert had arrived or was queued, or when the platform delivers a change again; never because
 * another notification of the same change failed.
 */

import type { Notified } from '#checkers/notification-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { Machine } from '#sim/world/machine.ts';

type Id = Pick<Notified, 'orderId' | 'sequence'>;

export interface AlertLog {
  readonly all: readonly Notified[];
  /** The alert arrives. */
  deliver(alert: Notified): void;
  /** The alert is queued for later. */
  store(alert: Id): void;
  /** The sender learns that it is queued; until then it may also send it directly. */
  storedIsKnown(alert: Id): void;
  /** The sender learns that it has arrived. */
  arrivalIsKnown(alert: Notified, by: Machine): void;
  /** The invocation that handled its change has ended, and the platform accepted the response. */
  changeIsSettled(
    change: { readonly orderId: string; readonly revision: number },
    by: Machine,
  ): void;
}

export function alertLog(breach: Breach): AlertLog {
  const all: Notified[] = [];
  const knownBy = new Map<string, string>();
  const settled = new Set<string>();
  /** Numbers of queued copies that no sender knows of. */
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
    changeIsSettled({ orderId, revision }, { name }) {
      const id = idOf(orderId, revision);
      if (knownBy.get(id) === name) settled.add(id);
    },
  };
}
