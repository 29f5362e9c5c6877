/** Recovers one page of due orders: interrupts the steps that an outage delayed, counts a failure for the others. */
import { dueAt, lateAt } from '#core/decide/due.ts';
import { type Gap, interruptedSteps } from '#core/decide/sweep-gaps.ts';
import { loggedText, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Outcome, Transitions } from '../transitions/transitions.ts';

/** The ports of {@link recoverPage}. */
export interface RecoveryPorts {
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly log: Log;
  /** What a restart left. Default: nothing. */
  readonly uninterrupted?: Uninterrupted;
}

/** The orders whose calls a restart ended, and that it could not interrupt: no failure is counted for them (R20). */
export type Uninterrupted = Pick<Set<OrderId>, 'has' | 'delete'>;

/** Counts of orders, and the lag of the sweep. */
export interface Recovered {
  /** Due orders, without those whose write the store refuses for good. */
  readonly found: number;
  readonly recovered: number;
  /** Orders whose write failed because the store was unavailable. */
  readonly unwritten: number;
  /** Orders to be dispatched again without a failure counted. */
  readonly interrupted: number;
  /** The longest time that any of the orders had been due, ms. */
  readonly lagMs: number;
  /** The earliest complete-by of the calls that were left alone because their replies may wait, ms since the epoch; null: none. */
  readonly waitingFrom: number | null;
}

/** The sum of no pages. */
export const nothingRecovered: Recovered = {
  found: 0,
  recovered: 0,
  unwritten: 0,
  interrupted: 0,
  lagMs: 0,
  waitingFrom: null,
};

/** Adds up the counts of two pages. */
export function added(one: Recovered, other: Recovered): Recovered {
  return {
    found: one.found + other.found,
    recovered: one.recovered + other.recovered,
    unwritten: one.unwritten + other.unwritten,
    interrupted: one.interrupted + other.interrupted,
    lagMs: Math.max(one.lagMs, other.lagMs),
    waitingFrom: earliest([one.waitingFrom, other.waitingFrom]),
  };
}

/** The earliest of the instants that are known; null: none is. */
export function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The event of a due order outside of an outage. */
export const expired: RecordEvent = { type: 'expired' };

/** Chooses the event of a due order, from its record and its place on the page; null: the order is left alone. */
export type EventOf = (record: ProcessRecord, place: number) => RecordEvent | null;

/** Applies the chosen event to each order of a page. Never rejects because of single orders: it counts and logs them. */
export async function recoverPage(
  ports: RecoveryPorts,
  page: readonly OrderId[],
  usual: EventOf,
): Promise<Recovered> {
  const event = forUninterrupted(ports, usual);
  let lagMs = 0;
  const interrupted = new Set<OrderId>();
  const outcomes = await ports.transitions.apply(
    page.map((orderId, place) => ({
      orderId,
      reads: 'record',
      event(record) {
        lagMs = Math.max(lagMs, ports.clock.now() - (dueAt(record) ?? Infinity));
        const decided = event(record, place);
        if (decided?.type === 'interrupted') interrupted.add(orderId);
        else interrupted.delete(orderId);
        return decided;
      },
    })),
  );
  for (const [at, orderId] of page.entries()) {
    if (outcomes[at]?.kind !== 'failed') ports.uninterrupted?.delete(orderId);
  }
  const written = page.filter(
    (orderId, at) => outcomes[at]?.kind === 'committed' && interrupted.has(orderId),
  );
  const waitingFrom = earliest(outcomes.map(waitingFromOf));
  return { ...tally(ports.log, page, outcomes), interrupted: written.length, lagMs, waitingFrom };
}

/** The earliest complete-by of the late calls of an order that was left alone; null: it was not. */
function waitingFromOf(outcome: Outcome): number | null {
  if (outcome.kind !== 'ignored' || outcome.reason !== 'left-alone') return null;
  const { steps } = outcome.record;
  return earliest(steps.map(({ progress }) => (underWay(progress) ? progress.completeBy : null)));
}

/**
 * Withdraws all attempts of such an order. Those of this process begin after it was interrupted, unless the store refused that
 * write again and accepted the one that began them: then these, too, count no failure, once.
 */
function forUninterrupted({ uninterrupted, clock }: RecoveryPorts, usual: EventOf): EventOf {
  if (uninterrupted === undefined) return usual;
  return (record, place) =>
    uninterrupted.has(record.orderId)
      ? { type: 'interrupted', reason: 'restart', notBefore: clock.now() }
      : usual(record, place);
}

function tally(
  log: Log,
  page: readonly OrderId[],
  outcomes: readonly Outcome[],
): Pick<Recovered, 'found' | 'recovered' | 'unwritten'> {
  let [recovered, unwritten, refused] = [0, 0, 0];
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.kind === 'committed') recovered += 1;
    if (outcome.kind !== 'failed') continue;
    if (outcome.error instanceof UnavailableError) unwritten += 1;
    if (outcome.error instanceof RefusedError) refused += 1;
    log.error('recovery-failed', {
      orderId: page[at] ?? null,
      error: loggedText(outcome.error),
    });
  }
  // A write that the store refuses for good does not show whether the store is available; the others do.
  return { found: page.length - refused, recovered, unwritten };
}

/**
 * The events of a sweep after outages. An order that no Scheduler claimed during one joins the same ramp.
 *
 * @param gapsOf the outages of an order: steps that they delayed are interrupted. When empty, every failure is counted.
 */
export function eventAfter(
  gapsOf: (orderId: OrderId) => readonly Gap[],
  clock: Clock,
  outageAfterMs: number,
): (record: ProcessRecord) => RecordEvent {
  return (record) => {
    const gaps = gapsOf(record.orderId);
    if (gaps.length === 0) return expired;
    const nowMs = clock.now();
    const steps = interruptedSteps(record, gaps, nowMs, outageAfterMs);
    if (steps.length === 0 && !isUnclaimed(record, nowMs)) return expired;
    return { type: 'interrupted', reason: 'outage', notBefore: nowMs, steps };
  };
}

/** Not a late order: what ends it is its own deadline, which no outage extends. */
const isUnclaimed = (record: ProcessRecord, nowMs: number) =>
  record.processState === 'Pending' &&
  (lateAt(record) ?? Infinity) > nowMs &&
  (dueAt(record) ?? Infinity) <= nowMs &&
  !record.steps.some(({ progress }) => underWay(progress) && progress.completeBy < nowMs);
