/**
 * How soon Reeve accepts orders after a crash, and how long the recovery continues beside them: `npm run
 * bench:restart`, or with `-- --live 100000`. `reeve start` is killed with that many live orders and started again
 * beside running suppliers; from then on an order is submitted every 50 ms.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { orderId, schedulerId, writeId } from '#core/model/ids.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { orderFulfilment } from '#workflows/order-fulfilment.ts';
import { exampleOrder, freePort } from './example-order.ts';

const { values: flags } = parseArgs({ options: { live: { type: 'string', default: '100000' } } });
const live = Number(flags.live);
const folder = mkdtempSync(join(tmpdir(), 'reeve-restart-'));
const health = z.object({ status: z.string() });

try {
  await preload(join(folder, 'reeve.db'), live);
  const suppliers = await startSuppliers({ port: 0, dataDir: join(folder, 'suppliers') });
  const port = await freePort();
  const began = performance.now();
  const reeve = start(port, suppliers.url);
  const stopped = once(reeve, 'exit');
  try {
    const { opened, recovered, latencies } = await restarted(`http://127.0.0.1:${port}`, began);
    console.log(`${live.toLocaleString('en')} live orders, after kill -9:`);
    console.table({
      'port open, ms': Math.round(opened),
      'everything recovered, ms': Math.round(recovered),
      'submissions meanwhile': latencies.length,
      'their p50, ms': Math.round(percentile(latencies, 0.5)),
      'their p99, ms': Math.round(percentile(latencies, 0.99)),
    });
  } finally {
    reeve.kill('SIGKILL');
    await stopped;
    await suppliers.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Submits until everything is recovered; all figures in ms. */
async function restarted(url: string, began: number) {
  const opened = await firstAnswer(url, began);
  const latencies: number[] = [];
  for (;;) {
    const asked = performance.now();
    const answer = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleOrder),
    });
    if (answer.status !== 202) throw new Error(`a submission was answered ${answer.status}`);
    latencies.push(performance.now() - asked);
    const { status } = health.parse(await (await fetch(`${url}/healthz`)).json());
    if (status === 'ready') return { opened, recovered: performance.now() - began, latencies };
    await sleep(50);
  }
}

function start(port: number, suppliers: string) {
  return spawn(process.execPath, [join(import.meta.dirname, '../bin/reeve.ts'), 'start'], {
    env: {
      ...process.env,
      PORT: String(port),
      REEVE_DATA: folder,
      REEVE_FRAUD_URL: `${suppliers}/fraud`,
      REEVE_INVENTORY_URL: `${suppliers}/inventory`,
      REEVE_PAYMENT_URL: `${suppliers}/payment`,
      REEVE_SHIPPING_URL: `${suppliers}/shipping`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function firstAnswer(url: string, began: number): Promise<number> {
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).text();
      return performance.now() - began;
    } catch {
      await sleep(5);
    }
  }
}

/** Stores orders as a killed process leaves them: claimed, with their first step running. */
async function preload(path: string, count: number): Promise<void> {
  const log = { info() {}, warn() {}, error() {} };
  const store = sqliteStore({ path, sweepPeriodMs: 1_000, log });
  const { details } = exampleOrder;
  const now = systemClock.now();
  for (let first = 0; first < count; first += 1_000) {
    const group = Array.from({ length: Math.min(1_000, count - first) }, async (_, offset) => {
      const id = orderId(`live-${String(first + offset).padStart(8, '0')}`);
      const event = {
        ...({ type: 'submit', by: 'bench', orderId: id, priority: 'normal' } as const),
        ...{ tenant: null, replyTo: null, correlationId: null },
      };
      const { record } = submitted(event, orderFulfilment, now, writeId(`w${id}`));
      await store.create({ orderId: id, details, digest: '', submittedAt: now }, record);
      const claim = { type: 'claim', by: schedulerId('killed') } as const;
      const decision = decide(record, claim, { definition: orderFulfilment, details }, now);
      if (decision.kind === 'transition') {
        await store.commit({ ...decision.record, writeId: writeId(`c${id}`) });
      }
    });
    await Promise.all(group);
  }
  store.close();
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
