/**
 * The notifier's throughput by CPU: the deployed bundle, with batches of the change stream, against SQS and
 * EventBridge in another process. `npm run bench:notify`, or with `-- --json`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { bundle } from '#infra/functions/bundles.ts';
import { roleSource } from '#infra/functions/function-code.ts';
import { batch } from './notify/batches.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    batches: { type: 'string', default: '100' },
  },
});
/** MiB of a function with one core (Lambda, configuring memory). */
const coreMiB = 1_769;
/** The required throughput of one shard of the stream, changes per second. */
const goalPerSecond = 2_000;
const memories = [256, 512, 1_024, 1_769];
const factors = [1, 2, 4, 5, 10];
const channels = ['queue', 'events', 'webhook'];
const warmUpBatches = 30;

const prefix = 'notify';
const emulator = fork(new URL('./notify/emulator.ts', import.meta.url), [prefix]);
const [addresses] = await once(emulator, 'message');
const { sqsUrl, eventsUrl } = z
  .object({ sqsUrl: z.string(), eventsUrl: z.string() })
  .parse(addresses);
const queues = `${sqsUrl}/000000000000/${prefix}`;
Object.assign(process.env, {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL_SQS: sqsUrl,
  AWS_ENDPOINT_URL_EVENTBRIDGE: eventsUrl,
  AWS_LAMBDA_FUNCTION_NAME: 'notify',
  POWERTOOLS_LOG_LEVEL: 'WARN',
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_QUEUES: queues,
  REEVE_EVENT_BUS: 'default',
  REEVE_DEPLOYMENT: 'notify',
  REEVE_COMMAND: 'npx reeve --stack notify',
  REEVE_RESPONSE_CHANNELS: JSON.stringify({
    queue: `${queues}_shop`,
    webhook: 'webhook',
    events: 'events',
  }),
});
const folderOf = bundle(
  { notifier: roleSource('notifier', '') },
  join(mkdtempSync(join(tmpdir(), 'reeve-notify-')), 'bundles'),
);
const { handler } = await import(pathToFileURL(join(folderOf('notifier'), 'index.mjs')).href);
const context = {
  functionName: 'notify',
  awsRequestId: '1',
  getRemainingTimeInMillis: () => 60_000,
};

try {
  for (const channel of channels) await deliver(channel, warmUpBatches);
  const measured = [];
  for (const channel of channels) measured.push(await deliver(channel, Number(flags.batches)));
  const cpuMsMax = Math.max(...measured.map(({ cpuMsPerChange }) => cpuMsPerChange));
  if (flags.json) console.log(JSON.stringify({ measured, goalPerSecond }));
  else print(measured, cpuMsMax);
} finally {
  emulator.disconnect();
}

/** One batch after the other, as for one shard with a parallelisation factor of 1. */
async function deliver(channel: string, count: number) {
  // Created before the measurement: Lambda creates the batches in production.
  const batches = Array.from({ length: count }, () => batch(channel));
  const before = process.cpuUsage();
  const startedAt = performance.now();
  for (const { Records } of batches) {
    const answer = await quietly(() => handler({ Records }, context));
    const settled = JSON.stringify(answer);
    if (settled !== '{"batchItemFailures":[]}')
      throw new Error(`not all changes were delivered: ${settled}`);
  }
  const { user, system } = process.cpuUsage(before);
  const delivered = batches.reduce((sum, one) => sum + one.delivered, 0);
  return {
    channel,
    delivered,
    cpuMsPerChange: round((user + system) / 1_000 / delivered),
    wallMsPerBatch: round((performance.now() - startedAt) / count),
  };
}

/** Drops metrics, which are log lines. */
async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = () => true;
  try {
    return await work();
  } finally {
    stdout.write = write;
  }
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function print(measured: readonly Awaited<ReturnType<typeof deliver>>[], cpuMsMax: number): void {
  console.log('channel   delivered     CPU ms per change  ms per batch');
  for (const { channel, delivered, cpuMsPerChange, wallMsPerBatch } of measured) {
    const cells = [`${delivered}`.padStart(13), cpuMsPerChange.toFixed(3).padStart(19)];
    console.log(`${channel.padEnd(9)}${cells.join('')}${wallMsPerBatch.toFixed(1).padStart(14)}`);
  }
  console.log(
    `\ndelivered changes per second and shard, at ${cpuMsMax} ms of CPU (goal ${goalPerSecond}):`,
  );
  console.log(`MiB \\ factor${factors.map((factor) => `${factor}`.padStart(8)).join('')}`);
  for (const memory of memories) {
    const perSecond = (memory / coreMiB) * (1_000 / cpuMsMax);
    const cells = factors.map((factor) => `${Math.round(perSecond * factor)}`.padStart(8));
    console.log(`${`${memory}`.padEnd(12)}${cells.join('')}`);
  }
}
