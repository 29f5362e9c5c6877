/**
 * Many orders offered at once, over HTTP, by a thousand connections. Server and sender are processes of their own. The
 * sender sends again what is refused, after its `Retry-After`, until all orders are accepted.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { serveApi } from '#runtime/local/http-server.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { startDelivery } from './delivery.ts';
import { percentile, rounded } from './figures.ts';

/** The program that runs {@link serveOffers} and {@link sendOffers} as parts. */
const program = new URL('../flow.ts', import.meta.url);
const connections = 1_000;
const healthEveryMs = 50;
/** The bar for an answer of `/healthz`, ms. */
const healthMaxMs = 100;

const service = { callMs: 100, concurrency: 64, completeWithinMs: 2_000 };

const statsSchema = z.object({
  orders: z.int(),
  processed: z.int(),
  undone: z.int(),
  error: z.int(),
  live: z.int(),
  failures: z.int(),
  rssMiB: z.number(),
});
type Stats = z.infer<typeof statsSchema>;
const sentSchema = z.object({ accepted: z.int(), refused: z.int(), broken: z.int() });

export async function offered(orders: number, say: (text: string) => void) {
  const server = part('server');
  const url = z.string().parse(await answer(server));
  const sender = part('sender', '--url', url, '--orders', String(orders));
  const begunAt = systemClock.now();
  const health = watchHealth(`${url}/healthz`);
  let accepted: z.infer<typeof sentSchema> | null = null;
  let acceptedAt = begunAt;
  sender.once('message', (message) => {
    accepted = sentSchema.parse(message);
    acceptedAt = systemClock.now();
  });
  let liveMax = 0;
  let stats: Stats;
  do {
    await sleep(1_000);
    stats = await statsOf(server);
    liveMax = Math.max(liveMax, stats.live);
    say(
      `${stats.orders} orders accepted, ${stats.processed} processed, ${Math.round(stats.rssMiB)} MiB`,
    );
  } while (accepted === null || stats.live > 0);
  const seconds = (systemClock.now() - begunAt) / 1_000;
  const times = await health.stop();
  server.kill();
  sender.kill();
  const sent = sentSchema.parse(accepted);
  const healthWorstMs = Math.max(...times.ms);
  return {
    offered: orders,
    ...sent,
    acceptedInSeconds: (acceptedAt - begunAt) / 1_000,
    processedInSeconds: seconds,
    processed: stats.processed,
    undone: stats.undone,
    error: stats.error,
    failures: stats.failures,
    liveMax,
    peakMiB: Math.round(stats.rssMiB),
    healthChecks: times.ms.length,
    healthNot200: times.not200,
    healthP99Ms: rounded(percentile(times.ms, 0.99)),
    healthWorstMs: rounded(healthWorstMs),
    healthWorstAtSeconds: rounded(times.worstAtMs / 1_000),
    isPassed:
      sent.accepted === orders &&
      stats.processed === orders &&
      stats.failures === 0 &&
      times.not200 === 0 &&
      healthWorstMs < healthMaxMs,
  };
}

/** The server: a Reeve with its API; answers each message with its counts. */
export async function serveOffers(): Promise<void> {
  const delivery = await startDelivery(service);
  const { url } = await serveApi(delivery.reeve, {
    host: '127.0.0.1',
    port: 0,
  });
  process.on('message', () => {
    process.send?.({ ...delivery.endings(), rssMiB: process.resourceUsage().maxRSS / 1_024 });
  });
  process.once('SIGTERM', () => {
    delivery.close();
    process.exit();
  });
  process.send?.(url);
}

/** The sender. It gives way to the server and to the health checks. */
export async function sendOffers(url: string, orders: number): Promise<void> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const counts = { accepted: 0, refused: 0, broken: 0 };
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < orders) {
        const parcel = next;
        next += 1;
        await untilAccepted(agent, url, parcel, counts);
      }
    }),
  );
  process.send?.(counts);
}

async function untilAccepted(
  agent: Agent,
  url: string,
  parcel: number,
  counts: { accepted: number; refused: number; broken: number },
): Promise<void> {
  for (;;) {
    try {
      const { status, retryAfter } = await post(agent, `${url}/orders`, parcel);
      if (status === 202) {
        counts.accepted += 1;
        return;
      }
      if (retryAfter === null) throw new Error(`The answer is ${status}.`);
      counts.refused += 1;
      await sleep(retryAfter * 1_000 * (1 + systemRandom.next()));
    } catch {
      counts.broken += 1;
      await sleep(1_000);
    }
  }
}

/** With a key, because the answer of a broken connection is not known. */
function post(agent: Agent, url: string, parcel: number) {
  const body = JSON.stringify({ workflow: 'delivery', details: { parcel } });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': `parcel-${parcel}`,
  };
  return new Promise<{ status: number; retryAfter: number | null }>((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        const again = response.headers['retry-after'];
        const retryAfter = again === undefined ? null : Number(again);
        resolve({ status: response.statusCode ?? 0, retryAfter });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Asks for the health twenty times per second, one request at a time. */
function watchHealth(url: string) {
  const ms: number[] = [];
  const begunAt = performance.now();
  let not200 = 0;
  let worstMs = 0;
  let worstAtMs = 0;
  let isStopped = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const done = (async () => {
    while (!isStopped) {
      const from = performance.now();
      if ((await statusOf(agent, url)) !== 200) not200 += 1;
      const tookMs = performance.now() - from;
      if (tookMs > worstMs) {
        worstMs = tookMs;
        worstAtMs = from - begunAt;
      }
      ms.push(tookMs);
      await sleep(Math.max(0, healthEveryMs - tookMs));
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      agent.destroy();
      return { ms, not200, worstAtMs };
    },
  };
}

function statusOf(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', () => resolve(0));
  });
}

function part(name: string, ...rest: string[]): ChildProcess {
  return fork(program, ['--part', name, ...rest]);
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

async function statsOf(server: ChildProcess): Promise<Stats> {
  const answered = answer(server);
  server.send('stats');
  return statsSchema.parse(await answered);
}
