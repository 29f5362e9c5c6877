/**
 * One timer for all orders of one process, at the earliest instant at which one of them is due: so an order whose agent is
 * silent, or that waited, continues at once and not at the next sweep. Sweeps remain for what the timer misses.
 *
 * The timer keeps only what is due before its horizon, two sweep periods ahead, and forgets an order as soon as it is not:
 * a healthy order is never read for it. What is due later it learns from the due index after each sweep.
 * A nudge that the process itself has delayed is not sent again, and the fallback of a hold is left to the sweep.
 */
import { lateAt, overdueAt } from '#core/decide/due.ts';
import { waitsForDoubt, waitsForGates } from '#core/decide/settle-holds.ts';
import { type Timed, timedQueue } from '#core/flow/timed-queue.ts';
import { describeError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type Nudge, nudgeOf } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import { readableRecords } from './readable-records.ts';

/** The ports of {@link dueTimer}. */
export interface DueTimerPorts {
  readonly store: Pick<StateStore, 'due' | 'dueShards' | 'records'>;
  /** Calls `listener` with every record once it is durable. The returned function ends that. */
  readonly watchRecords: (listener: (record: ProcessRecord) => void) => () => void;
  readonly nudges: Channel<Nudge>;
  /** Recovers those of these orders that are due. */
  readonly recover: (orderIds: readonly OrderId[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly sweepPeriodMs: number;
}

/** See {@link dueTimer}. */
export interface DueTimer {
  /** Moves the horizon, and reads from the due index what is due before it. Never rejects. */
  lookAhead(): Promise<void>;
  stop(): void;
}

/** Orders that the timer keeps at most, some 15 MB; the others are left to the sweep. */
const keptMax = 100_000;

/** Starts the timer. */
export function dueTimer(ports: DueTimerPorts): DueTimer {
  const { store, clock, log, sweepPeriodMs } = ports;
  const startedAt = clock.now();
  let horizon = startedAt;
  const kept = new Map<OrderId, Timed<OrderId>>();
  const queue = timedQueue<OrderId>({ clock, max: keptMax, onTime: (ids) => void ring(ids) });

  function keep(record: ProcessRecord): void {
    const { orderId } = record;
    const at = wakeAt(record, startedAt);
    const timed = kept.get(orderId);
    if (timed === undefined) {
      const added = at > horizon ? null : queue.add(orderId, at);
      if (added !== null) kept.set(orderId, added);
    } else if (at <= horizon) {
      if (timed.instant !== at) queue.move(timed, at);
    } else {
      queue.remove(timed);
      kept.delete(orderId);
    }
  }

  async function ring(orderIds: readonly OrderId[]): Promise<void> {
    for (const orderId of orderIds) kept.delete(orderId);
    try {
      const records = await readableRecords(store, orderIds);
      const nowMs = clock.now();
      const due = records.filter((record) => wakeAt(record, startedAt) <= nowMs);
      const waiting = due.filter(isWaiting(nowMs));
      const others = due.filter((record) => !waiting.includes(record));
      if (waiting.length > 0) await ports.nudges.send(waiting.map(nudgeOf));
      if (others.length > 0) await ports.recover(others.map(({ orderId }) => orderId));
      for (const record of records) if (!due.includes(record)) keep(record);
    } catch (error) {
      log.warn('prompt-recovery-failed', { orders: orderIds.length, error: describeError(error) });
    }
  }

  const unwatch = ports.watchRecords(keep);
  return {
    async lookAhead() {
      const from = Math.max(startedAt, clock.now());
      // Moved before the reads: what is written meanwhile is kept by its write.
      horizon = from + 2 * sweepPeriodMs;
      try {
        for (let shard = 0; shard < store.dueShards; shard += 1) {
          // Keys are rounded up to the period.
          const range = { shard, from, to: horizon + sweepPeriodMs, limit: limits.lookAheadMax };
          const { items } = await store.due({ ...range, cursor: null });
          for (const record of await readableRecords(store, items)) keep(record);
        }
      } catch (error) {
        log.warn('look-ahead-failed', { shard: 0, error: describeError(error) });
      }
    },
    stop() {
      unwatch();
      queue.close();
    },
  };
}

/** A Pending order that waited until now, and is not late. */
const isWaiting =
  (nowMs: number) =>
  (record: ProcessRecord): boolean =>
    record.processState === 'Pending' &&
    record.notBefore <= nowMs &&
    (overdueAt(record) ?? Number.POSITIVE_INFINITY) > nowMs;

/** When the timer must look at the order; infinite when a sweep is soon enough. */
function wakeAt(record: ProcessRecord, startedAt: number): number {
  const { processState, updatedAt, notBefore } = record;
  const isPending = processState === 'Pending';
  // The restart withdraws the calls of the former process, and not the deadline of an order.
  const overdue = updatedAt < startedAt ? lateAt(record) : overdueAt(record);
  const wait = isPending && isNudgeNeeded(record, startedAt) ? notBefore : null;
  return Math.min(overdue ?? Number.POSITIVE_INFINITY, wait ?? Number.POSITIVE_INFINITY);
}

/** Whether the order waits, and no message of this process is on its way to it. */
function isNudgeNeeded(record: ProcessRecord, startedAt: number): boolean {
  const { notBefore, updatedAt } = record;
  if (notBefore <= updatedAt || (waitsForGates(record) && !waitsForDoubt(record))) return false;
  return updatedAt < startedAt || notBefore - updatedAt > limits.messageDelayMaxMs;
}
