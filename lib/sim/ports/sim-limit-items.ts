/** The items of shared limits, in memory. */
import { UnavailableError } from '#core/model/errors.ts';
import {
  type Advance,
  type Advanced,
  areFewHolders,
  type Extension,
  type Holders,
  type LimitItems,
  type Occupation,
  type Occupied,
  occupied,
  reservedForMs,
} from '#ports/limit-items.ts';
import type { Machine } from '#sim/world/machine.ts';

/** {@link LimitItems} without delays. */
export interface LimitTable {
  advance(name: string, change: Advance): Advanced;
  /** @throws {UnavailableError} for a write that names more holders than DynamoDB takes */
  occupy(name: string, change: Occupation): Occupied;
  extend(name: string, holder: string, extension: Extension): boolean;
}

/**
 * Makes an empty table.
 *
 * @param extended called with each room that is extended, and its new end, ms since the epoch
 */
export function limitTable(
  extended: (holder: string, until: number) => void = () => {},
): LimitTable {
  const instants = new Map<string, number>();
  const reservedOf = new Map<string, readonly number[]>();
  const rooms = new Map<string, Holders>();
  return {
    advance(name, change) {
      const at = instants.get(name) ?? null;
      const reserved = reservedOf.get(name) ?? [];
      const isTaken = change.kind === 'reserve' && reserved.includes(change.reserved);
      const isMoved = !isTaken && mayAdvance(change, at);
      if (!isMoved) return { isMoved, at, reserved };
      if (change.kind === 'move') instants.set(name, (at ?? 0) + change.byMs);
      else if (change.kind === 'restart') instants.set(name, change.to);
      else {
        const known = reserved.filter((one) => one >= change.nowMs - reservedForMs);
        reservedOf.set(name, [...known, change.reserved]);
      }
      return { isMoved, at: change.kind === 'restart' ? change.to : at, reserved };
    },
    occupy(name, change) {
      if (!areFewHolders(change)) {
        throw new UnavailableError('store-unavailable', 'The write names too many holders.');
      }
      const answer = occupied(rooms.get(name) ?? new Map(), change);
      if (answer.isDone) rooms.set(name, answer.holders);
      return answer;
    },
    extend(name, holder, { until }) {
      const holders = rooms.get(name);
      if (holders?.has(holder) !== true) return false;
      rooms.set(name, new Map(holders).set(holder, until));
      extended(holder, until);
      return true;
    },
  };
}

function mayAdvance(change: Advance, at: number | null): boolean {
  if (change.kind === 'move') return at !== null && at >= change.from && at < change.before;
  if (change.kind === 'reserve') return at === null || at <= change.reserved || at > change.after;
  return at === null || at < change.from || at > change.after;
}

export function simLimitItems(table: LimitTable, machine: Machine): LimitItems {
  const refusal = 'coordination-throttled';
  return {
    advance: (name, change) =>
      machine.call({
        what: `move the rate ${name}`,
        refusal,
        act: () => table.advance(name, change),
      }),
    occupy: (name, change) =>
      machine.call({
        what: `change who has room in ${name}`,
        refusal,
        act: () => table.occupy(name, change),
      }),
    extend: (name, holder, extension) =>
      machine.call({
        what: `extend the room of ${holder} in ${name}`,
        refusal,
        act: () => table.extend(name, holder, extension),
      }),
  };
}
