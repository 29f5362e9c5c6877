/**
 * Three times as many orders as the services can take, for a minute: 10 % of the capacity in class high, twice the
 * capacity in class normal from eight tenants, one of which floods, and 90 % in class low from four tenants.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRecord } from '#core/model/record.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { type Delivery, type Flow, startDelivery } from './delivery.ts';
import { jain, percentile, rounded } from './figures.ts';

/** The courier is the bottleneck. */
const service = {
  callMs: 100,
  stockMs: 10,
  variation: 0.3,
  concurrency: 64,
  completeWithinMs: 2_000,
};
/** Orders per second. */
const capacity = (service.concurrency * 1_000) / service.callMs;
/** Small, so that the backlog is full after a fraction of the minute. */
const backlogMaxMs = 20_000;
const tickMs = 5;

/** Each flow, with its part of the capacity. */
const offers: readonly (Flow & { readonly part: number })[] = [
  { priority: 'high', tenant: 'desk', part: 0.1 },
  { priority: 'normal', tenant: 'flood', part: 0.95 },
  ...numbered('shop', 7, 0.15).map((own) => ({ priority: 'normal', ...own }) as const),
  ...numbered('batch', 4, 0.225).map((own) => ({ priority: 'low', ...own }) as const),
];

function numbered(name: string, count: number, part: number) {
  return Array.from({ length: count }, (_, at) => ({ tenant: `${name}-${at + 1}`, part }));
}

interface Ends {
  accepted: number;
  /** When each order of the flow ended, ms since the epoch. */
  readonly at: number[];
}

interface Refused {
  readonly flow: string;
  readonly at: number;
  /** The orders of the flow that had ended, and those that had not. */
  readonly ended: number;
  readonly left: number;
  /** The header, s. */
  readonly retryAfter: number;
}

const nameOf = ({ priority, tenant }: Flow) => `${priority} ${tenant ?? ''}`;

export async function overload(seconds: number, say: (text: string) => void) {
  const servedMs = new Map<number, number>();
  const delivery = await startDelivery({
    ...service,
    backlogMaxMs,
    onCall: (parcel, ms) => servedMs.set(parcel, (servedMs.get(parcel) ?? 0) + ms),
  });
  const flows = new Map<string, Ends>(
    offers.map((flow) => [nameOf(flow), { accepted: 0, at: [] }]),
  );
  const highWaits: { at: number; ms: number }[] = [];
  const parcels = new Map<string, number>();
  delivery.onEnd((record) => {
    flows.get(nameOf(record))?.at.push(systemClock.now());
    if (record.priority === 'high') highWaits.push(waitOf(record, parcels, servedMs));
  });
  try {
    const from = systemClock.now();
    const refusals = await offer(delivery, {
      flows,
      parcels,
      untilMs: from + seconds * 1_000,
      say,
    });
    const until = systemClock.now();
    while (delivery.endings().live > 0) await sleep(50);
    // The backlog of each flow is full after a third of the time.
    return figures(delivery, {
      flows,
      refusals,
      highWaits,
      from: from + (until - from) / 3,
      until,
    });
  } finally {
    delivery.close();
  }
}

/** How long an order took beyond the calls of its services. */
function waitOf(
  record: ProcessRecord,
  parcels: ReadonlyMap<string, number>,
  servedMs: ReadonlyMap<number, number>,
) {
  const calls = servedMs.get(parcels.get(record.orderId) ?? -1) ?? 0;
  return { at: record.submittedAt, ms: systemClock.now() - record.submittedAt - calls };
}

interface Offering {
  readonly flows: ReadonlyMap<string, Ends>;
  readonly parcels: Map<string, number>;
  readonly untilMs: number;
  readonly say: (text: string) => void;
}

async function offer(
  delivery: Delivery,
  { flows, parcels, untilMs, say }: Offering,
): Promise<readonly Refused[]> {
  const refusals: Refused[] = [];
  const from = systemClock.now();
  const sent = offers.map(() => 0);
  let parcel = 0;
  const submit = async (flow: Flow, own: number) => {
    const name = nameOf(flow);
    const ends = flows.get(name);
    const outcome = await delivery.submit(own, flow);
    if (ends === undefined || outcome.kind === 'refused') throw new Error(`${name} is refused`);
    if (outcome.kind === 'accepted') {
      ends.accepted += 1;
      parcels.set(outcome.orderId, own);
      return;
    }
    const ended = ends.at.length;
    const retryAfter = Math.max(1, Math.ceil(outcome.retryAfterMs / 1_000));
    const left = ends.accepted - ended;
    refusals.push({ flow: name, at: systemClock.now(), ended, left, retryAfter });
  };
  let saidAt = from;
  const pending = new Set<Promise<void>>();
  for (let nowMs = from; nowMs < untilMs; nowMs = systemClock.now()) {
    for (const [at, flow] of offers.entries()) {
      const due = Math.floor(((nowMs - from) / 1_000) * capacity * flow.part);
      for (; (sent[at] ?? 0) < due; sent[at] = (sent[at] ?? 0) + 1) {
        const own = submit(flow, parcel);
        parcel += 1;
        pending.add(own);
        void own.finally(() => pending.delete(own));
      }
    }
    if (nowMs - saidAt > 5_000) {
      saidAt = nowMs;
      const { live, processed } = delivery.endings();
      say(`${parcel} offered, ${processed} processed, ${live} live, ${refusals.length} refused`);
    }
    await sleep(tickMs);
  }
  await Promise.all(pending);
  return refusals;
}

interface Measured {
  readonly flows: ReadonlyMap<string, Ends>;
  readonly refusals: readonly Refused[];
  readonly highWaits: readonly { readonly at: number; readonly ms: number }[];
  /** The time that counts, ms since the epoch. */
  readonly from: number;
  readonly until: number;
}

function figures(delivery: Delivery, measured: Measured) {
  const { flows, refusals, highWaits, from, until } = measured;
  const served = [...flows].map(([name, { at }]) => ({
    name,
    count: at.filter((each) => each >= from && each < until).length,
  }));
  const countOf = (start: string) => served.filter(({ name }) => name.startsWith(start));
  const sum = (some: readonly { count: number }[]) =>
    some.reduce((all, { count }) => all + count, 0);
  const counts = (start: string) => countOf(start).map(({ count }) => count);
  const waits = highWaits.filter(({ at }) => at >= from && at < until).map(({ ms }) => ms);
  const errors = retryAfterErrors(flows, refusals, until);
  const { processed, orders, error, undone, failures } = delivery.endings();
  const all = sum(served);
  const row = {
    capacityPerSecond: capacity,
    offered: orders + refusals.length,
    accepted: orders,
    refused: refusals.length,
    processed,
    undone,
    error,
    failures,
    goodput: rounded(all / ((until - from) / 1_000) / capacity),
    highWaitP50Ms: rounded(percentile(waits, 0.5)),
    highWaitP99Ms: rounded(percentile(waits, 0.99)),
    lowPart: Math.round((sum(countOf('low')) / all) * 1_000) / 1_000,
    jainNormal: Math.round(jain(counts('normal')) * 10_000) / 10_000,
    jainLow: Math.round(jain(counts('low')) * 10_000) / 10_000,
    retryAfterChecked: errors.length,
    retryAfterErrorP90: rounded(percentile(errors, 0.9)),
  };
  const isPassed =
    row.goodput >= 0.95 &&
    row.highWaitP99Ms <= 20 &&
    row.lowPart >= 0.047 &&
    Math.min(row.jainNormal, row.jainLow) >= 0.99 &&
    row.retryAfterErrorP90 <= 0.3 &&
    processed === orders &&
    failures === 0;
  return { ...row, isPassed };
}

/**
 * The truth of a `Retry-After` is when half of the orders of its class and tenant that were there have ended. By how much
 * each header differs from it, in parts of it; only those whose truth came while the overload lasted.
 */
function retryAfterErrors(
  flows: ReadonlyMap<string, Ends>,
  refusals: readonly Refused[],
  until: number,
): readonly number[] {
  return refusals.flatMap(({ flow, at, ended, left, retryAfter }) => {
    const freedAt = flows.get(flow)?.at[ended + Math.ceil(left / 2) - 1];
    if (freedAt === undefined || freedAt > until) return [];
    const truthMs = freedAt - at;
    return [Math.abs(retryAfter * 1_000 - truthMs) / truthMs];
  });
}
