/**
 * The first of two services is unavailable under load: it refuses each call (`down`), or answers after the deadline
 * (`hangs`). The courier declines some parcels all the time, so that undos meet the outage too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#runtime/node/system-clock.ts';
import { type Delivery, startDelivery } from './delivery.ts';
import { rounded } from './figures.ts';
import type { ServiceMode } from './service.ts';

const service = { callMs: 50, concurrency: 64, completeWithinMs: 2_000 };
/** Orders per second. */
const load = 100;
const tickMs = 50;
/** The orders whose parcel the courier declines, which are undone. */
const declines = (parcel: number) => parcel % 20 === 7;

const secondMs = 1_000;
const beforeMs = 20 * secondMs;
/** How long orders are submitted after the return of the service. */
const afterMs = 30 * secondMs;
/** The circuit probes every 4 s, after 1 s and 3 s. */
const probeEveryMs = 4 * secondMs;
const probesMore = 3;
const recoveredWithinMs = 15 * secondMs;
const peakMax = 1.2;
/** Rates are those of so long, ms. */
const windowMs = 3 * secondMs;

export async function outage(
  seconds: number,
  mode: Exclude<ServiceMode, 'healthy'>,
  say: (text: string) => void,
) {
  const delivery = await startDelivery({ ...service, declines });
  const endedAt: number[] = [];
  delivery.onEnd(() => endedAt.push(systemClock.now()));
  const offers = offering(delivery, say);
  try {
    await offers.last(beforeMs);
    const downAt = systemClock.now();
    delivery.stock.set(mode);
    await offers.last(seconds * secondMs);
    const upAt = systemClock.now();
    const affected = delivery.endings();
    delivery.stock.set('healthy');
    await offers.last(afterMs);
    await offers.stop();
    while (delivery.endings().live > 0) await sleep(100);
    const declined = Array.from({ length: offers.count() }, (_, at) => at).filter(declines).length;
    const { orders, processed, undone, error, failures, failedOrders } = delivery.endings();
    const { begun } = delivery.stock;
    const within = (times: readonly number[], from: number, until: number) =>
      times.filter((at) => at >= from && at < until).length;
    // In flight when the circuit opened: as many as the agent calls at once, and their retries.
    const callsWhileDown = within(begun, downAt + 2 * service.completeWithinMs, upAt);
    const goodRate = within(endedAt, downAt - beforeMs / 2, downAt) / (beforeMs / 2_000);
    const row = {
      outageSeconds: seconds,
      orders,
      processed,
      undone,
      declined,
      error,
      refused: offers.refused(),
      heldAtReturn: affected.live,
      failures,
      failedOrders,
      callsWhileDown,
      recoveredAfterSeconds: recoveredAfter(endedAt, upAt, goodRate),
      secondPeak: rounded(peakOf(begun, upAt) / peakOf(begun, downAt - beforeMs / 2, downAt)),
    };
    return { ...row, isPassed: isPassed(row, mode) };
  } finally {
    delivery.close();
  }
}

interface Row {
  readonly outageSeconds: number;
  readonly orders: number;
  readonly processed: number;
  readonly undone: number;
  readonly declined: number;
  readonly error: number;
  readonly refused: number;
  readonly failedOrders: number;
  readonly callsWhileDown: number;
  readonly recoveredAfterSeconds: number | null;
  readonly secondPeak: number;
}

function isPassed(row: Row, mode: ServiceMode): boolean {
  const probesMax = (row.outageSeconds * secondMs) / probeEveryMs + probesMore;
  // A service that hangs has as many calls as the agent makes at once; then each probe fails one order.
  const failedMax = mode === 'hangs' ? 2 * service.concurrency + probesMax : 0;
  return (
    row.error === 0 &&
    row.refused === 0 &&
    row.undone === row.declined &&
    row.processed + row.undone === row.orders &&
    row.failedOrders <= failedMax &&
    row.callsWhileDown <= probesMax &&
    row.recoveredAfterSeconds !== null &&
    row.recoveredAfterSeconds * secondMs <= recoveredWithinMs &&
    row.secondPeak <= peakMax
  );
}

/** Submits orders at the rate of the load. */
function offering(delivery: Delivery, say: (text: string) => void) {
  const from = systemClock.now();
  const pending = new Set<Promise<void>>();
  let count = 0;
  let refused = 0;
  let saidAt = from;
  async function submit(parcel: number): Promise<void> {
    const { kind } = await delivery.submit(parcel);
    if (kind !== 'accepted') refused += 1;
  }
  return {
    count: () => count,
    refused: () => refused,
    stop: () => Promise.all(pending),
    /** Continues for so long. */
    async last(ms: number): Promise<void> {
      const until = systemClock.now() + ms;
      for (let nowMs = systemClock.now(); nowMs < until; nowMs = systemClock.now()) {
        for (; count < ((nowMs - from) / secondMs) * load; count += 1) {
          const own = submit(count);
          pending.add(own);
          void own.finally(() => pending.delete(own));
        }
        if (nowMs - saidAt > 10 * secondMs) {
          saidAt = nowMs;
          const { live, processed, failures } = delivery.endings();
          say(`${count} submitted, ${processed} processed, ${live} live, ${failures} failures`);
        }
        await sleep(tickMs);
      }
    },
  };
}

/** When the rate was 90 % of the good one again, in seconds after the return; null: never. */
function recoveredAfter(endedAt: readonly number[], upAt: number, goodRate: number): number | null {
  for (let end = upAt + windowMs; end <= upAt + afterMs; end += secondMs / 2) {
    const count = endedAt.filter((at) => at >= end - windowMs && at < end).length;
    if (count / (windowMs / secondMs) >= 0.9 * goodRate) return rounded((end - upAt) / secondMs);
  }
  return null;
}

/** The largest number of calls in any window. */
function peakOf(begun: readonly number[], from: number, until = Number.POSITIVE_INFINITY): number {
  const times = begun.filter((at) => at >= from && at < until);
  let most = 0;
  let first = 0;
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - windowMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}
