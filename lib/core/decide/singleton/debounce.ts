/**
 * Debounce: of the orders with one singleton key that are submitted while none of them has begun, the last one is processed (R29).
 * The submission of the next one cancels the one before it, in the write that stores the new order.
 */
import type { Debounce } from '#core/definition/singleton.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { decide, type Transition } from '../decide.ts';

/** Whether the next order of its key replaces it: it goes forward, and has made no call. One in Error has not ended. */
export const mayBeReplaced = ({ turn, processState, direction, steps }: ProcessRecord): boolean =>
  turn?.since !== undefined &&
  direction === 'forward' &&
  processState !== 'Processed' &&
  processState !== 'Undone' &&
  steps.every(({ attempt }) => attempt === 0);

/** Cancels an order that may be replaced, for the one that replaces it; null for any other order. */
export function replacedBy(record: ProcessRecord, by: OrderId, nowMs: number): Transition | null {
  if (!mayBeReplaced(record)) return null;
  const decision = decide(record, { type: 'cancel', by: `order ${by}` }, null, nowMs);
  return decision.kind === 'ignored' ? null : decision;
}

/** When an order begins that waits for later ones of its key. Instants are ms since the epoch. */
export interface Debounced {
  /** The submission of the first of the orders that it continues. */
  readonly since: number;
  readonly notBefore: number;
}

/** @param replaced the order that it replaces; null: it is the first */
export function debounced(
  { quietMs, atMostMs }: Debounce,
  replaced: ProcessRecord | null,
  nowMs: number,
): Debounced {
  // The clock of another process may be ahead: the wait of the first order cannot begin after that of the last.
  const since = Math.min(replaced?.turn?.since ?? nowMs, nowMs);
  return { since, notBefore: Math.min(nowMs + quietMs, since + atMostMs) };
}
