/**
 * The cost of event readers for orders: `npm run bench:followers`. 300 orders of the shipped workflow are
 * submitted, thirty per second, alone and beside 600 followers of all orders. Server, followers and submitter are
 * separate processes on one machine. Prints how long a submission takes until its 202, how many orders ended in
 * Error, and the server's heap after a collection: before, with and after the followers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { startSuppliers } from '#suppliers/start-suppliers.ts';
import { orderAgents } from '#workflows/order-agents.ts';
import { workflows } from '#workflows/shipped.ts';
import { exampleOrder } from './example-order.ts';
import { percentile } from './flow/figures.ts';

const { values: flags } = parseArgs({
  options: {
    part: { type: 'string', default: 'report' },
    url: { type: 'string', default: '' },
    followers: { type: 'string', default: '600' },
    orders: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '2' },
  },
});
const betweenMs = 33;
const settleMs = 3_000;
const count = z.object({ orders: z.array(z.unknown()) });

if (flags.part === 'server') await serve();
else if (flags.part === 'followers') follow(flags.url, Number(flags.followers));
else await report();

async function report(): Promise<void> {
  const rows = [];
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const followers of [0, Number(flags.followers)]) rows.push(await measure(followers));
  }
  console.table(rows);
}

async function measure(followers: number) {
  const server = part('server', ['--expose-gc']);
  const url = z.string().parse(await answer(server));
  const heapBefore = await heapOf(server);
  const readers =
    followers === 0 ? null : part('followers', [], '--url', url, '--followers', String(followers));
  if (readers !== null) await answer(readers);
  const times = await submitAll(url);
  const heapWith = await heapOf(server);
  const inError = await ended(url);
  if (readers !== null) await stop(readers);
  await sleep(settleMs);
  const heapAfter = await heapOf(server);
  await stop(server);
  return {
    followers,
    'p50, ms': percentile(times, 0.5),
    'p99, ms': percentile(times, 0.99),
    'in Error': inError,
    'heap before, MB': heapBefore,
    with: heapWith,
    after: heapAfter,
  };
}

function part(name: string, execArgv: string[], ...more: string[]): ChildProcess {
  return fork(import.meta.filename, ['--part', name, ...more], { execArgv });
}

async function answer(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

async function heapOf(server: ChildProcess): Promise<number> {
  server.send('heap');
  return Math.round(z.number().parse(await answer(server)) / 100_000) / 10;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function submitAll(url: string): Promise<number[]> {
  const body = JSON.stringify(exampleOrder);
  const headers = { 'content-type': 'application/json' };
  const submissions: Promise<number>[] = [];
  const submit = async () => {
    const began = performance.now();
    const { status } = await fetch(`${url}/orders`, { method: 'POST', headers, body });
    if (status !== 202) throw new Error(`a submission was answered ${status}`);
    return performance.now() - began;
  };
  for (let order = 0; order < Number(flags.orders); order += 1) {
    submissions.push(submit());
    await sleep(betweenMs);
  }
  return Promise.all(submissions);
}

/** Resolves when all orders have ended or stopped, with the number in Error. */
async function ended(url: string): Promise<number> {
  const inState = async (state: string) =>
    count.parse(await (await fetch(`${url}/orders?state=${state}&limit=200`)).json()).orders.length;
  while ((await inState('Pending')) + (await inState('Processing')) > 0) await sleep(200);
  return inState('Error');
}

async function serve(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-followers-'));
  const suppliers = await startSuppliers({ port: 0, dataDir: join(folder, 'suppliers') });
  const at = (service: string) => `${suppliers.url}/${service}`;
  const services = {
    ...{ fraud: at('fraud'), inventory: at('inventory') },
    ...{ payment: at('payment'), shipping: at('shipping') },
  };
  const log = jsonLog(systemClock, 'silent', () => {});
  const reeve = await startLocalReeve({
    ...{ workflows, agents: orderAgents(services, fetch), path: join(folder, 'reeve.db') },
    ...{ clock: systemClock, random: systemRandom, log },
  });
  const options = { port: 0 };
  const { url } = await serveApi(reeve, options);
  // The process keeps the files open until it ends.
  rmSync(folder, { recursive: true });
  process.on('message', () => {
    globalThis.gc?.();
    process.send?.(process.memoryUsage().heapUsed);
  });
  process.send?.(url);
}

/** Readers that discard what they read, as cheaply as possible. */
function follow(url: string, followers: number): void {
  const { port, host } = new URL(url);
  let connected = 0;
  for (let at = 0; at < followers; at += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    socket.once('data', () => {
      connected += 1;
      if (connected === followers) process.send?.('connected');
    });
    socket.resume();
  }
}
