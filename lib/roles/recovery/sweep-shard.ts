/**
 * The sweep of one shard of the due index: its pages, the rate at which they are recovered after an outage, and the memory that it
 * leaves for the next one (R20).
 */
import { type Gap, gapsAt, gapsLeft, type ShardMemory } from '#core/decide/sweep-gaps.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import {
  added,
  earliest,
  eventAfter,
  nothingRecovered,
  type Recovered,
  type RecoveryPorts,
  recoverPage,
} from './recover-page.ts';

/** The ports of {@link sweepShard}. */
export interface ShardSweepPorts extends RecoveryPorts {
  readonly store: Pick<StateStore, 'due'>;
  /**
   * When no sweep of a shard succeeded for longer than this, ms, there was an outage: the steps that it delayed are
   * interrupted, without a failure counted (R20). Longer than a lease and a sweep period together.
   */
  readonly outageAfterMs: number;
  /**
   * Overdue orders that the sweeps of all shards together recover per second: after an outage so many, otherwise at most twice as
   * many, so that what is overdue leaves new orders room in their partitions. Default: {@link limits.recoveryRampPerSecond} after
   * an outage, otherwise no bound.
   */
  readonly recoveryPerSecond?: number;
}

/** The result of a sweep. */
export interface SweepReport extends Omit<Recovered, 'unwritten' | 'waitingFrom'> {
  readonly startedAt: number;
  readonly outage: boolean;
  /**
   * False when due orders are left: the sweep was stopped, or after an outage a write failed.
   */
  readonly finished: boolean;
}

/** The result of the sweep of one shard. */
export interface ShardReport extends SweepReport {
  /** True when `mayContinue` ended it before the last page. */
  readonly stopped: boolean;
  /** For the next sweep of the shard. */
  readonly left: ShardMemory;
}

/** The input of the sweep of one shard. */
export interface ShardSweep {
  readonly shard: number;
  /** The memory that the previous sweep of the shard left. */
  readonly memory: ShardMemory;
  /** A time not after the memory was read, ms since the epoch; an outage ended at this time at the latest. */
  readonly recalledAt: number;
  /** The outages of other shards, in which the order may have been. */
  readonly gapsElsewhere: (orderId: OrderId) => readonly Gap[];
  /** How many shards share the ramp. */
  readonly shards: number;
  /** Called before each page except the first, so that every sweep recovers at least one page. */
  readonly mayContinue: () => boolean;
  /** Stores the memory before the sweep continues: should the sweep crash, the next one continues from it. */
  readonly keep: (memory: ShardMemory) => Promise<void>;
}

/**
 * Recovers the overdue orders of one shard, page by page.
 *
 * @throws {UnavailableError} `sweep-unwritten` when the store refused every write
 */
export async function sweepShard(ports: ShardSweepPorts, sweep: ShardSweep): Promise<ShardReport> {
  const { clock, outageAfterMs } = ports;
  const startedAt = clock.now();
  const gaps = gapsAt(sweep.memory, sweep.recalledAt, outageAfterMs);
  let memory: ShardMemory = { ...sweep.memory, gaps };
  const [latest] = gaps.slice(-1);
  if (latest !== undefined && latest.until !== sweep.memory.gaps.at(-1)?.until) {
    ports.log.warn('outage-detected', { shard: sweep.shard, ...latest });
    await sweep.keep(memory);
  }
  const isRamped = gaps.length > 0;
  const perSecond = pageRate(ports, sweep, isRamped);
  const limit = Math.min(limits.sweepPage, perSecond);
  const gapsOf = (orderId: OrderId) => [...gaps, ...sweep.gapsElsewhere(orderId)];
  const known = eventAfter(gapsOf, clock, outageAfterMs);
  // The process may have stood still since the outages were known, or since the page began. The next sweep knows what that delayed,
  // and leaves nothing alone, so that orders come to their end where each page takes as long.
  let reachedAt = sweep.recalledAt;
  const hasStoodStill = () => !isRamped && clock.now() - reachedAt > outageAfterMs;
  const event = (record: ProcessRecord) =>
    hasStoodStill() && hasBecomeLate(record, reachedAt, clock.now()) ? null : known(record);
  const range = { shard: sweep.shard, from: 0, to: startedAt, limit };
  let total = nothingRecovered;
  let stopped = false;
  if (isRamped) await waitUntil(ports, memory.rampAt);
  let begunAt = clock.now();
  for await (const { items, cursor } of pagesOf(ports, range)) {
    const page = await recoverPage(ports, items, event);
    total = added(total, page);
    const isLast = cursor === null;
    memory = memoryAfter(memory, page, total, { begunAt, reachedAt, perSecond, isLast });
    if (isLast) break;
    if (!sweep.mayContinue()) {
      stopped = true;
      break;
    }
    await sweep.keep(memory);
    await waitUntil(ports, isRamped ? memory.rampAt : begunAt + msOf(page.found, perSecond));
    begunAt = clock.now();
    if (!hasStoodStill()) reachedAt = begunAt;
  }
  assertWritten(total);
  if (!isRamped && total.lagMs > outageAfterMs) {
    ports.log.warn('sweep-behind', { shard: sweep.shard, lagMs: total.lagMs });
  }
  // While writes fail, the outage stays in the memory: else the next sweep would count failures for these orders.
  const finished = !stopped && !(isRamped && total.unwritten > 0);
  const left = { ...memory, gaps: finished ? gapsLeft(gaps, startedAt, outageAfterMs) : gaps };
  return { ...total, startedAt, outage: isRamped, finished, stopped, left };
}

/** Whether the complete-by of a call has passed since then: a standstill in that time may have delayed its reply. */
const hasBecomeLate = ({ steps }: ProcessRecord, since: number, nowMs: number): boolean =>
  steps.some(
    ({ progress }) =>
      underWay(progress) && progress.completeBy >= since && progress.completeBy < nowMs,
  );

/** The orders of one shard per second, in its share of what all shards may recover. */
function pageRate(
  { recoveryPerSecond }: ShardSweepPorts,
  { shards }: ShardSweep,
  isRamped: boolean,
): number {
  const shareOf = (perSecond: number) => Math.max(1, Math.floor(perSecond / shards));
  if (isRamped) return shareOf(recoveryPerSecond ?? limits.recoveryRampPerSecond);
  return recoveryPerSecond === undefined
    ? Number.POSITIVE_INFINITY
    : 2 * shareOf(recoveryPerSecond);
}

const msOf = (orders: number, perSecond: number) => Math.ceil((orders * 1_000) / perSecond);

/** When a page was handled; instants are ms since the epoch. */
interface PageTimes {
  readonly begunAt: number;
  /** Until when outages are known: as `begunAt`, but of the first page when the memory was read, and after a standstill before that. */
  readonly reachedAt: number;
  /** Orders per second of the ramp. */
  readonly perSecond: number;
  readonly isLast: boolean;
}

/**
 * The shard counts as reached where the store accepted a write, or was asked for none by all pages; the ramp continues after the
 * page.
 *
 * @param total of the page and those before it
 */
function memoryAfter(
  memory: ShardMemory,
  page: Recovered,
  total: Recovered,
  { begunAt, reachedAt, perSecond, isLast }: PageTimes,
): ShardMemory {
  const isReached = total.recovered > 0 ? !isRefused(page) : isLast && total.unwritten === 0;
  // A sweep that stops before its last page has not seen all calls that the one before it left alone.
  const waitingFrom = isLast
    ? total.waitingFrom
    : earliest([memory.waitingFrom, total.waitingFrom]);
  const tookMs = msOf(page.interrupted, perSecond);
  return {
    ...memory,
    ...(isReached ? { aliveAt: reachedAt, waitingFrom } : {}),
    ...(page.interrupted > 0 ? { rampAt: begunAt + tookMs } : {}),
  };
}

/** Whether every write was refused. An order that needs none does not show whether the store accepts writes. */
const isRefused = ({ recovered, unwritten }: Recovered) => unwritten > 0 && recovered === 0;

/** The longest wait of a ramp between two pages, ms; a longer one comes from a wrong clock. */
const rampWaitMaxMs = 10_000;

async function waitUntil({ clock }: ShardSweepPorts, instant: number): Promise<void> {
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
 * Yields no order twice: a recovered order is due after `range.to`, and an order that was not recovered stays before
 * the cursor.
 */
export async function* pagesOf(
  { store }: Pick<ShardSweepPorts, 'store'>,
  range: Range,
): AsyncGenerator<Page<OrderId>> {
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await store.due({ limit: limits.sweepPage, ...range, cursor });
    cursor = page.cursor;
    yield page;
  } while (cursor !== null);
}

/** When no write succeeded, this was no sweep but part of an outage, which a later sweep must detect (R20). */
export function assertWritten(total: Recovered): void {
  if (!isRefused(total)) return;
  throw new UnavailableError(
    'sweep-unwritten',
    `${total.unwritten} of ${total.found} due orders could not be written. The next sweep retries them.`,
  );
}
