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
import type { Page, StateStore } from '#ports/state-store.ts';
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
  /**
   * False when something was left that is still due: because time ran out, or a write failed that an
   * outage had delayed. The sweep before this one then goes on to be the last that was completed.
   */
  readonly finished: boolean;
}

export interface Supervisor {
  /** Every shard. `previousSweepAt`: when the last completed sweep began; null when there was none. */
  sweep(previousSweepAt: number | null): Promise<SweepReport>;
  /** What is overdue in one shard, until `mayGoOn` says no. */
  sweepShard(
    shard: number,
    previousSweepAt: number | null,
    mayGoOn: () => boolean,
  ): Promise<SweepReport>;
  /** What lies further ahead in one shard than any right clock writes: it would never come (R14). */
  repairShard(shard: number): Promise<void>;
  /**
   * After a restart of the one process every call and message is lost: all live orders are due.
   *
   * @throws {UnavailableError} `sweep-unwritten` when one of them could not be written: start again
   */
  recoverAll(): Promise<SweepReport>;
}

export function supervisor(ports: SupervisorPorts): Supervisor {
  const { clock, log } = ports;
  const shards = Array.from({ length: ports.store.dueShards }, (_, shard) => shard);

  async function sweepShard(
    shard: number,
    previousSweepAt: number | null,
    mayGoOn: () => boolean,
  ): Promise<SweepReport> {
    const now = clock.now();
    const outage = previousSweepAt !== null && now - previousSweepAt > ports.outageAfterMs;
    if (outage) log.warn('outage-forgiven', { shard, sinceMs: now - previousSweepAt });
    const event = outage ? ramp('outage', now) : () => expired;
    const overdue = await recover(ports, { shard, from: 0, to: now }, event, mayGoOn);
    const { found, recovered, unwritten } = overdue;
    // What could not be written now must find the outage still there: the next sweep would punish it.
    const finished = overdue.finished && !(outage && unwritten > 0);
    return { startedAt: now, outage, found, recovered, finished };
  }

  async function repairShard(shard: number): Promise<void> {
    const range = { shard, from: clock.now() + dueHorizonMs, to: Number.MAX_SAFE_INTEGER };
    const { found } = await recover(
      ports,
      range,
      () => expired,
      () => true,
    );
    if (found > 0) log.error('deadlines-repaired', { orders: found });
  }

  return {
    sweepShard,
    repairShard,
    async sweep(previousSweepAt) {
      const reports: SweepReport[] = [];
      for (const shard of shards) {
        reports.push(await sweepShard(shard, previousSweepAt, () => true));
        await repairShard(shard);
      }
      const startedAt = Math.min(...reports.map((report) => report.startedAt));
      return { startedAt, outage: reports.some(({ outage }) => outage), ...sum(reports) };
    },
    async recoverAll() {
      const now = clock.now();
      const found: Recovered[] = [];
      for (const shard of shards) {
        found.push(await recoverEvery(ports, shard, ramp('restart', now)));
      }
      return { startedAt: now, outage: false, ...sum(found) };
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

interface Recovered extends Pick<SweepReport, 'found' | 'recovered' | 'finished'> {
  readonly unwritten: number;
}

function sum(parts: readonly Omit<Recovered, 'unwritten'>[]): Omit<Recovered, 'unwritten'> {
  return {
    found: parts.reduce((all, { found }) => all + found, 0),
    recovered: parts.reduce((all, { recovered }) => all + recovered, 0),
    finished: parts.every(({ finished }) => finished),
  };
}

interface Range {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Page by page: what was recovered is due later than `range.to`, and what was not stays where the
 * cursor has passed, so that no order is met twice.
 */
async function recover(
  ports: SupervisorPorts,
  range: Range,
  event: (place: number) => RecordEvent,
  mayGoOn: () => boolean,
): Promise<Recovered> {
  const total = { found: 0, recovered: 0, unwritten: 0 };
  let cursor: string | null = null;
  do {
    if (!mayGoOn()) return { ...total, finished: false };
    const page: Page<OrderId> = await ports.store.due({
      ...range,
      limit: limits.sweepPage,
      cursor,
    });
    cursor = page.cursor;
    await recoverPage(ports, page.items, event, total);
  } while (cursor !== null);
  assertWritten(total);
  return { ...total, finished: true };
}

async function recoverPage(
  ports: SupervisorPorts,
  page: readonly OrderId[],
  event: (place: number) => RecordEvent,
  total: { found: number; recovered: number; unwritten: number },
): Promise<void> {
  const first = total.found;
  total.found += page.length;
  const outcomes = await ports.transitions.apply(
    page.map((orderId, offset) => ({ orderId, event: () => event(first + offset) })),
  );
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.kind === 'committed') total.recovered += 1;
    if (outcome.kind === 'failed') {
      if (outcome.error instanceof UnavailableError) total.unwritten += 1;
      ports.log.error('recovery-failed', {
        orderId: page[at] ?? null,
        error: outcome.error instanceof Error ? outcome.error.message : 'unknown',
      });
    }
  }
}

/** Not one write got through: no sweep, but an outage, which must be seen as one later (R20). */
function assertWritten({ found, unwritten }: { found: number; unwritten: number }): void {
  if (unwritten > 0 && unwritten === found) {
    throw notWritten({ found, unwritten }, 'They are tried again.');
  }
}

function notWritten(
  { found, unwritten }: { readonly found: number; readonly unwritten: number },
  whatNext: string,
): UnavailableError {
  return new UnavailableError(
    'sweep-unwritten',
    `${unwritten} of ${found} due orders could not be written. ${whatNext}`,
  );
}

/** All live orders wherever they are due; collected first, because recovery moves them in the index. */
async function recoverEvery(
  ports: SupervisorPorts,
  shard: number,
  event: (place: number) => RecordEvent,
): Promise<Recovered> {
  const found: OrderId[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await ports.store.due({
      shard,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      limit: limits.sweepPage,
      cursor,
    });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  const total = { found: 0, recovered: 0, unwritten: 0 };
  for (let at = 0; at < found.length; at += limits.sweepPage) {
    await recoverPage(ports, found.slice(at, at + limits.sweepPage), event, total);
  }
  // The sweeps after a restart punish what is late: they must find nothing that it interrupted (R20).
  if (total.unwritten > 0) {
    throw notWritten(total, 'See that the store can be written, then start again.');
  }
  return { ...total, finished: true };
}
