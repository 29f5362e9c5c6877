/**
 * The Supervisor: finds what is past its complete-by time and requests recovery. It knows no
 * business; any number of sweeps at once do what one does (R11).
 */
import { dueHorizonMs } from '#core/due.ts';
import { UnavailableError } from '#core/errors.ts';
import type { RecordEvent } from '#core/event.ts';
import type { OrderId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Transitions } from './transitions.ts';

export interface SupervisorPorts {
  readonly store: StateStore;
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * A gap between sweeps longer than this, ms, means that the platform was away: what is overdue then
   * is forgiven, not punished (R20).
   */
  readonly outageAfterMs: number;
}

export interface SweepReport {
  readonly startedAt: number;
  readonly found: number;
  readonly recovered: number;
  readonly outage: boolean;
}

export interface Supervisor {
  /** `previousSweepAt`: when the last completed sweep began; null when there was none. */
  sweep(previousSweepAt: number | null): Promise<SweepReport>;
  /** After a restart of the one process every call and message is lost: all live orders are due. */
  recoverAll(): Promise<SweepReport>;
}

export function supervisor(ports: SupervisorPorts): Supervisor {
  const { clock, log } = ports;
  return {
    async sweep(previousSweepAt) {
      const now = clock.now();
      const outage = previousSweepAt !== null && now - previousSweepAt > ports.outageAfterMs;
      if (outage) log.warn('outage-forgiven', { sinceMs: now - previousSweepAt });
      const event = outage ? ramp('outage', now) : () => expired;
      const overdue = await recover(ports, { from: 0, to: now }, event);
      // No right clock writes instants so far ahead; left alone, these orders would never come (R14).
      const range = { from: now + dueHorizonMs, to: Number.MAX_SAFE_INTEGER };
      const corrupt = await recover(ports, range, () => expired);
      if (corrupt.found > 0) log.error('deadlines-repaired', { orders: corrupt.found });
      return {
        startedAt: now,
        found: overdue.found + corrupt.found,
        recovered: overdue.recovered + corrupt.recovered,
        outage,
      };
    },
    async recoverAll() {
      const now = clock.now();
      const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
      return {
        startedAt: now,
        outage: false,
        ...(await recover(ports, range, ramp('restart', now))),
      };
    },
  };
}

const expired: RecordEvent = { type: 'expired' };

/** Dispatches again in the order of urgency, so many a second, lest recovery be the next outage. */
function ramp(reason: 'restart' | 'outage', now: number): (place: number) => RecordEvent {
  return (place) => {
    const seconds = Math.floor(place / limits.recoveryRampPerSecond);
    return { type: 'excused', reason, notBefore: now + seconds * 1_000 };
  };
}

async function recover(
  ports: SupervisorPorts,
  range: { readonly from: number; readonly to: number },
  event: (place: number) => RecordEvent,
): Promise<{ found: number; recovered: number }> {
  // Collected before anything is written: a write moves the order within the index being read.
  const found: OrderId[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<StateStore['due']>> = await ports.store.due({
      ...range,
      limit: limits.sweepPage,
      cursor,
    });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);

  let recovered = 0;
  let unwritten = 0;
  for (let at = 0; at < found.length; at += limits.sweepPage) {
    const batch = found.slice(at, at + limits.sweepPage);
    const outcomes = await ports.transitions.apply(
      batch.map((orderId, offset) => ({ orderId, event: () => event(at + offset) })),
    );
    for (const outcome of outcomes) {
      if (outcome.kind === 'committed') recovered += 1;
      if (outcome.kind === 'failed') {
        if (outcome.error instanceof UnavailableError) unwritten += 1;
        ports.log.error('recovery-failed', {
          error: outcome.error instanceof Error ? outcome.error.message : 'unknown',
        });
      }
    }
  }
  // Not one write got through: no sweep, but an outage, which must be seen as one later (R20).
  if (unwritten > 0 && unwritten === found.length) {
    throw new UnavailableError(
      'sweep-unwritten',
      `None of ${unwritten} due orders could be written.`,
    );
  }
  return { found: found.length, recovered };
}
