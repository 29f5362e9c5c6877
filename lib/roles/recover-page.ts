/** The recovery of one page of due orders: what an outage made late is interrupted, the rest is counted. */
import { dueAt } from '#core/decide/due.ts';
import { type Gap, interruptedSteps } from '#core/decide/sweep-gaps.ts';
import { describeError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Outcome, Transitions } from './transitions.ts';

export interface RecoveryPorts {
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Recovered {
  /** Without those that the store will never take as they would be. */
  readonly found: number;
  readonly recovered: number;
  /** Refused by the store for now. */
  readonly unwritten: number;
  /** Dispatched again without a failure counted. */
  readonly interrupted: number;
  /** How long the order had been due that was due longest, ms. */
  readonly lagMs: number;
}

export const nothingRecovered: Recovered = {
  found: 0,
  recovered: 0,
  unwritten: 0,
  interrupted: 0,
  lagMs: 0,
};

export function added(one: Recovered, other: Recovered): Recovered {
  return {
    found: one.found + other.found,
    recovered: one.recovered + other.recovered,
    unwritten: one.unwritten + other.unwritten,
    interrupted: one.interrupted + other.interrupted,
    lagMs: Math.max(one.lagMs, other.lagMs),
  };
}

export const expired: RecordEvent = { type: 'expired' };

/** What becomes of an order that is due, and of the next one on the page. */
export type EventOf = (record: ProcessRecord, place: number) => RecordEvent;

export async function recoverPage(
  ports: RecoveryPorts,
  page: readonly OrderId[],
  event: EventOf,
): Promise<Recovered> {
  let lagMs = 0;
  const interrupted = new Set<OrderId>();
  const outcomes = await ports.transitions.apply(
    page.map((orderId, place) => ({
      orderId,
      reads: 'record',
      event(record) {
        lagMs = Math.max(lagMs, ports.clock.now() - (dueAt(record) ?? Infinity));
        const decided = event(record, place);
        if (decided.type === 'interrupted') interrupted.add(orderId);
        else interrupted.delete(orderId);
        return decided;
      },
    })),
  );
  const written = page.filter(
    (orderId, at) => outcomes[at]?.kind === 'committed' && interrupted.has(orderId),
  );
  return { ...tally(ports.log, page, outcomes), interrupted: written.length, lagMs };
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
      error: describeError(outcome.error),
    });
  }
  // What the store will never take says nothing of whether it is there: that is judged by the others.
  return { found: page.length - refused, recovered, unwritten };
}

/**
 * Of a sweep after an outage. An order that nobody claimed meanwhile is dispatched in the same ramp.
 *
 * @param gaps the outages, in which an attempt counts as interrupted; without one every failure is counted
 */
export function eventAfter(gaps: readonly Gap[], clock: Clock, outageAfterMs: number): EventOf {
  if (gaps.length === 0) return () => expired;
  return (record) => {
    const now = clock.now();
    const steps = interruptedSteps(record, gaps, now, outageAfterMs);
    if (steps.length === 0 && !isUnclaimed(record, now)) return expired;
    return { type: 'interrupted', reason: 'outage', notBefore: now, steps };
  };
}

const isUnclaimed = (record: ProcessRecord, now: number) =>
  record.processState === 'Pending' &&
  (dueAt(record) ?? Infinity) <= now &&
  !record.steps.some(({ progress }) => underWay(progress) && progress.completeBy < now);
