/**
 * Whether one more order is accepted: not when it would wait for longer than the configured time until it begins.
 *
 * 1. The wait is that of its own class and tenant: the orders that wait there, by the rate at which they are worked off.
 *    Each class and each tenant has its share of that rate (R24), so an overload by one of them refuses its own orders.
 *    The class low has the smallest share and is refused first; high only against its own share.
 * 2. As long as no rate was measured, and while a service is unavailable, orders are accepted up to a number that bounds
 *    the memory. A tenant with more than its share of them is refused from half of it on, then low, then normal.
 * 3. What was accepted stays accepted: the rule is asked before an order is stored, and never again (R28).
 */
import type { Priority } from '#core/model/record.ts';

/** Why an order is refused: its tenant has more than its share of the orders that wait, or too many wait in all. */
export type AdmissionCode = 'tenant-over-share' | 'overloaded';

/** An order that is not accepted now. */
export interface AdmissionRefusal {
  readonly code: AdmissionCode;
  /** When an order of this class and tenant will be accepted, if no other one comes before, ms from now. */
  readonly retryAfterMs: number;
}

/** What waits, as far as it matters to one order. */
export interface Load {
  readonly priority: Priority;
  /** The orders of its workflow, class and tenant that wait already: behind none of them, a slow flow has no backlog. */
  readonly waiting: number;
  /** The orders per second that begin among them; null: not known. */
  readonly perSecond: number | null;
  /** How many times its fair share of the waiting orders of its class the tenant has. */
  readonly shares: number;
  /** All waiting orders. */
  readonly waitingInAll: number;
  /** The orders per second that begin among all of them; null: not known. */
  readonly inAllPerSecond: number | null;
}

/** The bounds of {@link admissionOf}. */
export interface AdmissionBounds {
  /** How long an accepted order waits at most, as far as can be known, ms. */
  readonly backlogMaxMs: number;
  /** The number of waiting orders. */
  readonly ordersMax: number;
}

/** A tenant with so many times its fair share has more than its share: less would be chance. */
const sharesMax = 1.5;
/** The part of `ordersMax` up to which each class is accepted. */
const ordersPart: Readonly<Record<Priority, number>> = { high: 1, normal: 0.9, low: 0.8 };
/** The same of a tenant with more than its share. */
const ordersPartOverShare = 0.5;
/** When nothing can be said of the rate, ms. */
const retryUnknownMs = 30_000;
/** A refused order is asked for again when this part of the bound is free: room for more than one at a time. */
const freed = 0.5;

/** Null: the order is accepted. */
export function admissionOf(load: Load, bounds: AdmissionBounds): AdmissionRefusal | null {
  const isOverShare = load.shares > sharesMax;
  const code = isOverShare ? 'tenant-over-share' : 'overloaded';
  if (load.perSecond !== null) {
    const waitMs = msOf(load.waiting, load.perSecond);
    const retryAfterMs = waitMs - bounds.backlogMaxMs * freed;
    if (waitMs > bounds.backlogMaxMs) return { code, retryAfterMs };
  }
  const part = isOverShare ? ordersPartOverShare : ordersPart[load.priority];
  if (load.waitingInAll < bounds.ordersMax * part) return null;
  const orders = bounds.ordersMax * part * freed;
  const { inAllPerSecond } = load;
  return {
    code,
    retryAfterMs: inAllPerSecond === null ? retryUnknownMs : msOf(orders, inAllPerSecond),
  };
}

const msOf = (orders: number, perSecond: number) => (orders * 1_000) / perSecond;
