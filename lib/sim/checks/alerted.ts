/**
 * What operators were told, and that they are told once (R17). An alert may be repeated because its sender
 * does not know that it arrived, or was kept for later, or because the platform delivers a change again; never because somebody
 * else could not be told of the same change.
 */

import type { Told } from '#checkers/told-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { Machine } from '#sim/world/machine.ts';

type Id = Pick<Told, 'orderId' | 'sequence'>;

export interface Alerted {
  readonly all: readonly Told[];
  /** It arrives. */
  deliver(told: Told): void;
  /** It is kept for later. */
  keep(told: Id): void;
  /** Its sender knows that it is kept: until then it may send it by the other way as well. */
  knowKept(told: Id): void;
  /** Its sender knows that it has arrived. */
  know(told: Told, by: Machine): void;
  /** The invocation in which its change was handled has ended, and its answer was taken. */
  settle(of: { readonly orderId: string; readonly revision: number }, by: Machine): void;
}

export function alerted(breach: Breach): Alerted {
  const all: Told[] = [];
  const knownBy = new Map<string, string>();
  const settled = new Set<string>();
  const keptUnknown = new Set<string>();
  const idOf = (orderId: string, sequence: number) => `${orderId} ${sequence}`;
  return {
    all,
    deliver(told) {
      const id = idOf(told.orderId, told.sequence);
      all.push(told);
      if (settled.has(id) && !keptUnknown.has(id))
        breach('R17', `operators were alerted again to ${id}`);
    },
    keep({ orderId, sequence }) {
      keptUnknown.add(idOf(orderId, sequence));
    },
    knowKept({ orderId, sequence }) {
      keptUnknown.delete(idOf(orderId, sequence));
    },
    know({ orderId, sequence }, { name }) {
      knownBy.set(idOf(orderId, sequence), name);
    },
    settle({ orderId, revision }, { name }) {
      const id = idOf(orderId, revision);
      if (knownBy.get(id) === name) settled.add(id);
    },
  };
}
