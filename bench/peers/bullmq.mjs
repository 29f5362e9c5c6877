/**
 * BullMQ on Redis with `appendfsync always`: an order is a job that records each of its three steps, as the pattern "process step
 * jobs" of its documentation does. Arguments: orders, at once.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { report } from './driver.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bullmq-'));
const socket = join(folder, 'redis.sock');
const options = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''];
const server = spawn(
  'redis-server',
  [...options, '--appendonly', 'yes', '--appendfsync', 'always'],
  {
    stdio: 'ignore',
  },
);
process.on('exit', () => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const connection = { path: socket, maxRetriesPerRequest: null };
const steps = ['reserve', 'charge', 'ship'];
const queue = new Queue('orders', { connection });
const events = new QueueEvents('orders', { connection });
await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
const worker = new Worker(
  'orders',
  async (job) => {
    for (const step of steps) await job.updateData({ ...job.data, step, [step]: { id: job.id } });
  },
  { connection, concurrency: Number(process.argv[3]) },
);
await worker.waitUntilReady();
const waiting = new Map();
events.on('completed', ({ jobId }) => {
  waiting.get(jobId)?.();
  waiting.delete(jobId);
});
events.on('failed', ({ failedReason }) => {
  throw new Error(failedReason);
});

await report(
  async (order) => {
    const ended = new Promise((resolve) => {
      waiting.set(order, resolve);
    });
    await queue.add('order', { order }, { jobId: order });
    await ended;
  },
  [server.pid],
);
process.exit(0);
