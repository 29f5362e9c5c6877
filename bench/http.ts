/**
 * Orders per second over HTTP, from the first request until the end of the last order is durable: one by one, and by bulk
 * submissions. The embedded Reeve with its agents is a process, the sender is another one; both share the cores of the machine.
 * The two ways are measured in turns; the figures are medians, with their ratio. `npm run bench:http`, or with `-- --json`;
 * `--orders` of each turn, `--turns`, `--connections` that send orders one by one, `--batches` sent at once, and the `--detailBytes` of an order.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { limits } from '#core/model/limits.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { percentile, rounded } from './flow/figures.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    orders: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '3' },
    connections: { type: 'string', default: '128' },
    batches: { type: 'string', default: '8' },
    detailBytes: { type: 'string', default: '4' },
  },
});

const contractOf = (name: string) =>
  defineAgent({
    name,
    input: z.object({ order: z.string() }),
    output: z.object({ id: z.string() }),
    undo: 'unneeded',
  });
const reserve = contractOf('reserve');
const charge = contractOf('charge');
const ship = contractOf('ship');
const workflow = defineWorkflow({
  name: 'bench',
  version: 1,
  details: z.object({ item: z.string() }),
})
  .step('reserve', { agent: reserve, input: ({ orderId: order }) => ({ order }) })
  .step('charge', {
    agent: charge,
    after: ['reserve'],
    input: ({ outputs }) => ({ order: outputs.reserve.id }),
  })
  .step('ship', {
    agent: ship,
    after: ['charge'],
    input: ({ outputs }) => ({ order: outputs.charge.id }),
  })
  .build();

const item = 'x'.repeat(Number(flags.detailBytes));

/** What the server answers to a number, once so many orders are processed in all: its CPU time so far. */
const processedSchema = z.object({ cpuMs: z.number() });

if (flags.server) await serve();
else await compare();

async function serve(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
  const agents = [reserve, charge, ship].map((contract) =>
    implementAgent(contract, { perform: async ({ order }) => ({ id: order }) }),
  );
  const path = join(directory, 'reeve.db');
  const reeve = await startLocalReeve({ workflows: [workflow], agents, path });
  const server = await serveApi(reeve, { port: 0 });
  let processed = 0;
  let awaited = Number.POSITIVE_INFINITY;
  const look = () => {
    if (processed < awaited) return;
    awaited = Number.POSITIVE_INFINITY;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1_000 });
  };
  reeve.watch(({ processState }) => {
    if (processState !== 'Processed') return;
    processed += 1;
    look();
  });
  process.on('message', (message) => {
    awaited = z.int().parse(message);
    look();
  });
  process.once('disconnect', async () => {
    await server.close();
    reeve.close();
    rmSync(directory, { recursive: true });
  });
  process.send?.(server.url);
}

interface Turn {
  readonly perSecond: number;
  readonly cpuMs: number;
}

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, ['--server']);
  const nextAnswer = async () => (await once(server, 'message'))[0];
  const url = z.string().parse(await nextAnswer());
  const cpuMsAt = async (processed: number) => {
    const answer = nextAnswer();
    server.send(processed);
    return processedSchema.parse(await answer).cpuMs;
  };
  const ways = {
    single: (orders: number) => sendSingle(url, orders),
    batch: (orders: number) => sendBatches(url, orders),
  };
  let submitted = 0;
  const turn = async (way: keyof typeof ways, orders: number): Promise<Turn> => {
    const before = await cpuMsAt(submitted);
    const from = performance.now();
    await ways[way](orders);
    submitted += orders;
    const after = await cpuMsAt(submitted);
    const seconds = (performance.now() - from) / 1_000;
    return { perSecond: orders / seconds, cpuMs: (after - before) / orders };
  };
  const all = async (orders: number) => ({
    single: await turn('single', orders),
    batch: await turn('batch', orders),
  });
  await all(Math.min(Number(flags.orders), 3_000));
  const turns: Awaited<ReturnType<typeof all>>[] = [];
  for (let at = 0; at < Number(flags.turns); at += 1) turns.push(await all(Number(flags.orders)));
  server.disconnect();
  const median = (way: keyof typeof ways, figure: keyof Turn) =>
    percentile(
      turns.map((each) => each[way][figure]),
      0.5,
    );
  const rowOf = (way: keyof typeof ways) => ({
    ordersPerSecond: Math.round(median(way, 'perSecond')),
    cpuMsPerOrder: rounded(median(way, 'cpuMs')),
  });
  const rows = { single: rowOf('single'), batch: rowOf('batch') };
  const ratio = rounded(median('batch', 'perSecond') / median('single', 'perSecond'));
  if (flags.json) console.log(JSON.stringify({ ...rows, ratio }));
  else {
    console.table(rows);
    console.log(`By bulk submission ${ratio} times as many orders per second.`);
  }
}

function sendSingle(url: string, orders: number): Promise<void> {
  const connections = Number(flags.connections);
  return withAgent(connections, (agent) =>
    inParallel(connections, orders, 1, () => post(agent, `${url}/orders`, order())),
  );
}

function sendBatches(url: string, orders: number): Promise<void> {
  const batches = Number(flags.batches);
  return withAgent(batches, (agent) =>
    inParallel(batches, orders, limits.batchOrdersMax, (count) =>
      post(agent, `${url}/orders/batch`, { orders: Array.from({ length: count }, order) }),
    ),
  );
}

async function withAgent(maxSockets: number, work: (agent: Agent) => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets });
  await work(agent);
  agent.destroy();
}

/** Does the work for all orders, `size` at a time, so many times at once. */
async function inParallel(
  atOnce: number,
  orders: number,
  size: number,
  work: (count: number) => Promise<void>,
): Promise<void> {
  let left = orders;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) {
        const count = Math.min(size, left);
        left -= count;
        await work(count);
      }
    }),
  );
}

/** With a key, as senders that repeat what was not answered have it. */
function order() {
  return { workflow: 'bench', details: { item }, key: crypto.randomUUID() };
}

type Document = { readonly key: string } | { readonly orders: readonly object[] };

function post(agent: Agent, url: string, document: Document): Promise<void> {
  const { key, ...rest } = { key: null, ...document };
  const body = JSON.stringify(rest);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(key !== null && { 'idempotency-key': key }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', agent, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const { statusCode = 500 } = response;
      if (statusCode < 300 && !text.includes('"problem"')) resolve();
      else reject(new Error(`${statusCode}: ${text.slice(0, 300)}`));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
