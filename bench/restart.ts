/**
 * How soon Reeve accepts orders after a crash, and how long it takes back orders beside them, at most 1,000 that were at work per second: `npm run
 * bench:restart`, or with `-- --live 100000`, `--sleeping 1000000`, `--json`. `reeve start` is killed with that many orders
 * whose first step runs, and that many whose cool-down lasts for another hour, and started again beside running suppliers; from
 * then on an order is submitted every 50 ms.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { dueAt } from '#core/decide/due.ts';
import { submitted } from '#core/decide/submit.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { orderId, schedulerId, writeId } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import type { StateStore } from '#ports/state-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { orderFulfilment } from '#workflows/order-fulfilment.ts';
import { exampleOrder, freePort } from './example-order.ts';
import { percentile } from './flow/figures.ts';
import { firstAnswer, startedReeve } from './started-reeve.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    live: { type: 'string', default: '100000' },
    sleeping: { type: 'string', default: '0' },
  },
});
const live = Number(flags.live);
const sleeping = Number(flags.sleeping);
const folder = mkdtempSync(join(tmpdir(), 'reeve-restart-'));
const claim = { type: 'claim', by: schedulerId('killed') } as const;
const health = z.object({ status: z.string() });

try {
  const store = sqliteStore({
    ...{ path: join(folder, 'reeve.db'), sweepPeriodMs: 1_000 },
    log: { info() {}, warn() {}, error() {} },
  });
  await preload(store, 'live', live, atWork);
  await preload(store, 'sleeping', sleeping, asleep);
  store.close();
  const suppliers = await startSuppliers({ port: 0, dataDir: join(folder, 'suppliers') });
  const port = await freePort();
  const began = performance.now();
  const reeve = startedReeve({ folder, port, suppliers: suppliers.url });
  const stopped = once(reeve, 'exit');
  try {
    const { opened, ready, recovered, latencies, refused } = await restarted(
      `http://127.0.0.1:${port}`,
      began,
    );
    const figures = {
      'port open, ms': Math.round(opened),
      'ready, ms': Math.round(ready),
      'every order taken back, ms': Math.round(recovered),
      'submissions meanwhile': latencies.length,
      'of them refused': refused,
      'their p50, ms': Math.round(percentile(latencies, 0.5)),
      'their p99, ms': Math.round(percentile(latencies, 0.99)),
    };
    if (flags.json) console.log(JSON.stringify({ live, sleeping, ...figures }));
    else {
      const orders = [live, sleeping].map((count) => count.toLocaleString('en'));
      console.log(`${orders[0]} orders at work and ${orders[1]} that sleep, after kill -9:`);
      console.table(figures);
    }
  } finally {
    reeve.kill('SIGKILL');
    await stopped;
    await suppliers.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Submits until every order is taken back; all figures in ms. */
async function restarted(url: string, began: number) {
  await firstAnswer(url);
  const opened = performance.now() - began;
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(5);
  const ready = performance.now() - began;
  const latencies: number[] = [];
  let refused = 0;
  for (;;) {
    const asked = performance.now();
    const answer = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleOrder),
    });
    await answer.text();
    if (answer.status === 503) refused += 1;
    else if (answer.status !== 202) throw new Error(`a submission was answered ${answer.status}`);
    latencies.push(performance.now() - asked);
    const { status } = health.parse(await (await fetch(`${url}/healthz`)).json());
    if (status !== 'starting')
      return { opened, ready, recovered: performance.now() - began, latencies, refused };
    await sleep(50);
  }
}

/** Stores orders as a killed process leaves them. */
async function preload(
  store: StateStore,
  name: string,
  count: number,
  laterOf: (record: ProcessRecord) => readonly ProcessRecord[],
): Promise<void> {
  const { details } = exampleOrder;
  for (let first = 0; first < count; first += 1_000) {
    const group = Array.from({ length: Math.min(1_000, count - first) }, async (_, offset) => {
      const id = orderId(`${name}-${String(first + offset).padStart(8, '0')}`);
      const event = {
        ...({ type: 'submit', by: 'bench', orderId: id, priority: 'normal' } as const),
        ...{ tenant: null, replyTo: null, correlationId: null },
      };
      const now = systemClock.now();
      const { record } = submitted(event, orderFulfilment, now, writeId(`w${id}`));
      await store.create({ orderId: id, details, digest: '', submittedAt: now }, record);
      for (const later of laterOf(record)) await store.commit(later);
    });
    await Promise.all(group);
  }
}

/** Claimed, with its first step running. */
function atWork(record: ProcessRecord): readonly ProcessRecord[] {
  return [after(record, claim, systemClock.now())];
}

/** A first step failed as often as the policy allows, an hour from now, and no other is at work: the cool-down ends after that. */
function asleep(submittedRecord: ProcessRecord): readonly ProcessRecord[] {
  let now = systemClock.now() + 3_600_000;
  let record = submittedRecord;
  const all: ProcessRecord[] = [];
  while (record.notBefore <= now || isAtWork(record)) {
    const event: RecordEvent = isAtWork(record) ? { type: 'expired' } : claim;
    if (event.type === 'expired') now = Math.max(now, dueAt(record) ?? now);
    record = after(record, event, now);
    all.push(record);
  }
  return all;
}

function isAtWork({ steps }: ProcessRecord): boolean {
  return steps.some(({ progress }) => underWay(progress));
}

function after(record: ProcessRecord, event: RecordEvent, now: number): ProcessRecord {
  const context = { definition: orderFulfilment, details: exampleOrder.details };
  const decision = decide(record, event, context, now);
  if (decision.kind !== 'transition') throw new Error(`${event.type} was ignored`);
  return { ...decision.record, writeId: writeId(`${decision.record.revision}-${record.orderId}`) };
}
