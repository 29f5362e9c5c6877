/**
 * A burst that meets services over HTTP: a `reeve start` that has just begun gets all orders at once, in bulk submissions, with the example
 * services, which commit each effect to disk. All share the cores of the machine. No order may fail, and no failure may be counted.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { limits } from '#core/model/limits.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { exampleOrder, freePort } from '../example-order.ts';
import { firstAnswer, startedReeve } from '../started-reeve.ts';

const activity = z.object({
  minutes: z.array(z.object({ processed: z.int(), undone: z.int(), error: z.int() })),
  agents: z.array(z.object({ failed: z.int(), timedOut: z.int() })),
});
const { batchOrdersMax } = limits;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

export async function services(orders: number) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-services-'));
  const suppliers = await startSuppliers({ port: 0, dataDir: join(folder, 'suppliers') });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const reeve = startedReeve({ folder, port, suppliers: suppliers.url });
  const stopped = once(reeve, 'exit');
  try {
    await firstAnswer(url);
    const began = performance.now();
    const batches = Array.from({ length: Math.ceil(orders / batchOrdersMax) }, (_, at) =>
      submit(url, Math.min(batchOrdersMax, orders - at * batchOrdersMax)),
    );
    await Promise.all(batches);
    const submittedMs = performance.now() - began;
    let ended = await endings(url);
    while (ended.processed + ended.undone + ended.error < orders) {
      await sleep(100);
      ended = await endings(url);
    }
    return {
      orders,
      ...ended,
      submittedSeconds: submittedMs / 1_000,
      seconds: (performance.now() - began) / 1_000,
      isPassed: ended.processed === orders && ended.failures === 0,
    };
  } finally {
    reeve.kill('SIGKILL');
    await stopped;
    await suppliers.close();
    rmSync(folder, { recursive: true });
  }
}

async function submit(url: string, count: number): Promise<void> {
  const answer = await fetch(`${url}/orders/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ orders: Array.from({ length: count }, () => exampleOrder) }),
  });
  if (!answer.ok) throw new Error(`A bulk submission was answered ${answer.status}.`);
  await answer.text();
}

async function endings(url: string) {
  const { minutes, agents } = activity.parse(await (await fetch(`${url}/activity`)).json());
  return {
    processed: sum(minutes.map(({ processed }) => processed)),
    undone: sum(minutes.map(({ undone }) => undone)),
    error: sum(minutes.map(({ error }) => error)),
    failures: sum(agents.map(({ failed, timedOut }) => failed + timedOut)),
  };
}
