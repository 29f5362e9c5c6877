/**
 * Waiting is not failing: `npm run bench:flow`, for programs with `--json`. Submits more orders at once than a healthy
 * service can begin before their deadlines, and prints how each ended and how many attempts counted as failures.
 * Exits with 1 when an order is not Processed, or when a failure was counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ProcessRecord } from '#core/model/record.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { type Delivery, startDelivery } from './flow/delivery.ts';

const { values: flags } = parseArgs({
  options: {
    orders: { type: 'string', default: '4000' },
    /** Comma-separated concurrent calls per agent. */
    calls: { type: 'string', default: '16,64,256' },
    /** Comma-separated durations of a call, ms. */
    ms: { type: 'string', default: '500,1000' },
    json: { type: 'boolean', default: false },
  },
});
const orders = Number(flags.orders);
/** The orders come over this time, in batches. */
const overMs = 6_000;
const batch = 40;
const numbers = (list: string) => list.split(',').map(Number);

const rows = [];
for (const callMs of numbers(flags.ms)) {
  for (const concurrency of numbers(flags.calls)) rows.push(await burst(callMs, concurrency));
}
if (flags.json) console.log(JSON.stringify({ burst: rows }));
else console.table(rows);
if (rows.some(({ processed, failures }) => processed !== orders || failures > 0)) {
  process.exitCode = 1;
}

async function burst(callMs: number, concurrency: number) {
  const delivery = await startDelivery({ callMs, concurrency, completeWithinMs: 2_000 });
  const latest = new Map<string, ProcessRecord>();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let live = 0;
  delivery.reeve.watch((record) => {
    const wasLive = isLive(latest.get(record.orderId));
    latest.set(record.orderId, record);
    live += Number(isLive(record)) - Number(wasLive);
    if (live === 0 && latest.size === orders) resolve();
  });
  const begunAt = systemClock.now();
  try {
    for (let count = 0; count < orders; count += 1) {
      await submit(delivery, count);
      if (count % batch === batch - 1) await sleep((overMs * batch) / orders);
    }
    await ended;
    const states = Object.groupBy(latest.values(), ({ processState }) => processState);
    return {
      callMs,
      concurrency,
      orders,
      processed: states.Processed?.length ?? 0,
      undone: states.Undone?.length ?? 0,
      error: states.Error?.length ?? 0,
      failures: [...latest.values()].reduce((sum, { failureCount }) => sum + failureCount, 0),
      concurrentMax: delivery.concurrentMax(),
      seconds: (systemClock.now() - begunAt) / 1_000,
      // Each of the two agents performs `concurrency` steps at a time, the second one beside the first.
      atLeastSeconds: ((orders / concurrency + 1) * callMs) / 1_000,
    };
  } finally {
    delivery.close();
  }
}

function isLive(record: ProcessRecord | undefined): boolean {
  return record?.processState === 'Pending' || record?.processState === 'Processing';
}

async function submit({ reeve }: Delivery, count: number): Promise<void> {
  const submission = {
    key: `order-${count}`,
    workflow: 'delivery',
    details: { parcel: count },
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
  } as const;
  const outcome = await reeve.submission.submit(submission, 'bench');
  if (outcome.kind !== 'accepted') throw new Error(`Order ${count} is ${outcome.kind}`);
}
