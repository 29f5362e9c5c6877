/**
 * The Supervisor: finds what is past its complete-by time and requests recovery. It knows no
 * business; any number of sweeps at once do what one does (R11).
 */
import { dueHorizonMs } from '#core/decide/due.ts';
import { gapsAt, gapsLeft, noMemory, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import {
  added,
  eventAfter,
  expired,
  nothingRecovered,
  type Recovered,
  type RecoveryPorts,
  recoverPage,
} from './recover-page.ts';

export interface SupervisorPorts extends RecoveryPorts {
  readonly store: Pick<StateStore, 'due' | 'dueShards'>;
  /**
   * When no sweep of a shard got through for longer than this, ms, the platform was away: what is
   * overdue because of it is interrupted, not punished (R20). Longer than a lease and a period together.
   */
  readonly outageAfterMs: number;
}

export interface SweepReport extends Omit<Recovered, 'unwritten'> {
  readonly startedAt: number;
  readonly outage: boolean;
  /**
   * False when something was left that is still due: because time ran out, or a write failed that an
   * outage had delayed.
   */
  readonly finished: boolean;
}

export interface ShardReport extends SweepReport {
  /** Whether `mayGoOn` ended it before the last page. */
  readonly stopped: boolean;
  /** For the next sweep of the shard. */
  readonly left: ShardMemory;
}

export interface ShardSweep {
  readonly shard: number;
  /** What the sweep before it left. */
  readonly memory: ShardMemory;
  /** When that was read, or before: an outage lasted until then at most; ms. */
  readonly recalledAt: number;
  /** How many shards share the ramp. */
  readonly shards: number;
  /** Asked before each page but the first: a sweep that runs has something to show for it. */
  readonly mayGoOn: () => boolean;
  /** Remembers it before the sweep goes on: should it die, the next one goes on from there. */
  readonly keep: (memory: ShardMemory) => Promise<void>;
}

export interface Supervisor {
  readonly shards: number;
  readonly outageAfterMs: number;
  /** Every shard in turn; each finds in `memories` what the sweep before it left, and leaves its own. */
  sweep(memories: Map<number, ShardMemory>): Promise<SweepReport>;
  /**
   * What is overdue in one shard.
   *
   * @throws {UnavailableError} `sweep-unwritten` when the store refused every write
   */
  sweepShard(sweep: ShardSweep): Promise<ShardReport>;
  /** What lies further ahead in one shard than any right clock writes: it would never come (R14). */
  repairShard(shard: number): Promise<void>;
}

export function supervisor(ports: SupervisorPorts): Supervisor {
  const { clock, log, store } = ports;
  const every = Array.from({ length: store.dueShards }, (_, shard) => shard);

  async function repairShard(shard: number): Promise<void> {
    const from = clock.now() + dueHorizonMs;
    let total = nothingRecovered;
    for await (const page of pagesOf(ports, { shard, from, to: Number.MAX_SAFE_INTEGER })) {
      total = added(total, await recoverPage(ports, page.items, () => expired));
    }
    assertWritten(total);
    if (total.found > 0) log.error('deadlines-repaired', { orders: total.found });
  }

  return {
    shards: every.length,
    outageAfterMs: ports.outageAfterMs,
    sweepShard: (sweep) => sweepShard(ports, sweep),
    repairShard,
    async sweep(memories) {
      const startedAt = clock.now();
      const reports: SweepReport[] = [];
      for (const shard of every) {
        const keep = async (left: ShardMemory) => {
          memories.set(shard, left);
        };
        const memory = memories.get(shard) ?? noMemory;
        const asked = { shard, memory, keep, recalledAt: clock.now(), shards: every.length };
        const report = await sweepShard(ports, { ...asked, mayGoOn: () => true });
        memories.set(shard, report.left);
        reports.push(report);
        await repairShard(shard);
      }
      return totalOf(startedAt, reports);
    },
  };
}

function totalOf(startedAt: number, reports: readonly SweepReport[]): SweepReport {
  const total = reports.reduce<Recovered>(
    (all, report) => added(all, { ...report, unwritten: 0 }),
    nothingRecovered,
  );
  return {
    ...total,
    startedAt,
    outage: reports.some(({ outage }) => outage),
    finished: reports.every(({ finished }) => finished),
  };
}

async function sweepShard(ports: SupervisorPorts, sweep: ShardSweep): Promise<ShardReport> {
  const { clock, outageAfterMs } = ports;
  const startedAt = clock.now();
  const gaps = gapsAt(sweep.memory, sweep.recalledAt, outageAfterMs);
  let memory: ShardMemory = { ...sweep.memory, gaps };
  const [latest] = gaps.slice(-1);
  if (latest !== undefined && latest.until !== sweep.memory.gaps.at(-1)?.until) {
    ports.log.warn('outage-detected', { shard: sweep.shard, ...latest });
    await sweep.keep(memory);
  }
  const perSecond = Math.max(1, Math.floor(limits.recoveryRampPerSecond / sweep.shards));
  const isRamped = gaps.length > 0;
  const limit = isRamped ? Math.min(limits.sweepPage, perSecond) : limits.sweepPage;
  const event = eventAfter(gaps, clock, outageAfterMs);
  const range = { shard: sweep.shard, from: 0, to: startedAt, limit };
  let total = nothingRecovered;
  let stopped = false;
  if (isRamped) await until(ports, memory.rampAt);
  let begunAt = clock.now();
  for await (const { items, cursor } of pagesOf(ports, range)) {
    const page = await recoverPage(ports, items, event);
    total = added(total, page);
    memory = after(memory, page, begunAt, perSecond);
    if (cursor === null) break;
    if (!sweep.mayGoOn()) {
      stopped = true;
      break;
    }
    await sweep.keep(memory);
    if (isRamped) await until(ports, memory.rampAt);
    begunAt = clock.now();
  }
  assertWritten(total);
  if (!isRamped && total.lagMs > outageAfterMs) {
    ports.log.warn('sweep-behind', { shard: sweep.shard, lagMs: total.lagMs });
  }
  // What could not be written now must find the outage still there: the next sweep would punish it.
  const finished = !stopped && !(isRamped && total.unwritten > 0);
  const left = { ...memory, gaps: finished ? gapsLeft(gaps, startedAt, outageAfterMs) : gaps };
  return { ...total, startedAt, outage: isRamped, finished, stopped, left };
}

/** The store got through a page unless it refused all of it; the ramp goes on where the page ended. */
function after(
  { aliveAt, gaps, rampAt }: ShardMemory,
  { found, unwritten, interrupted }: Recovered,
  begunAt: number,
  perSecond: number,
): ShardMemory {
  const isRefused = found > 0 && unwritten === found;
  const tookMs = Math.ceil((interrupted * 1_000) / perSecond);
  return {
    aliveAt: isRefused ? aliveAt : begunAt,
    gaps,
    rampAt: interrupted > 0 ? begunAt + tookMs : rampAt,
  };
}

/** The longest that a right ramp makes a sweep wait for its next page, ms. */
const rampWaitMaxMs = 10_000;

async function until({ clock }: SupervisorPorts, instant: number): Promise<void> {
  const ms = instant - clock.now();
  if (ms <= 0 || ms > rampWaitMaxMs) return;
  await new Promise<void>((resolve) => {
    clock.after(ms, resolve);
  });
}

interface Range {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
  /** Default {@link limits.sweepPage}. */
  readonly limit?: number;
}

/**
 * What was recovered is due later than `range.to`, and what was not stays where the cursor has passed,
 * so that no order is met twice.
 */
async function* pagesOf(
  { store }: Pick<SupervisorPorts, 'store'>,
  range: Range,
): AsyncGenerator<Page<OrderId>> {
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await store.due({ limit: limits.sweepPage, ...range, cursor });
    cursor = page.cursor;
    yield page;
  } while (cursor !== null);
}

/** Not one write got through: no sweep, but an outage, which must be seen as one later (R20). */
function assertWritten({ found, unwritten }: Recovered): void {
  if (unwritten === 0 || unwritten < found) return;
  throw new UnavailableError(
    'sweep-unwritten',
    `${unwritten} of ${found} due orders could not be written. They are tried again.`,
  );
}
