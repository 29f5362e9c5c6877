/**
 * Cold starts: the size of each function's bundle and how long its module takes to load, on one core.
 * `npm run bench:cold`, or with `-- --json`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '#infra/functions/bundles.ts';

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean', default: false }, runs: { type: 'string', default: '11' } },
});

const agents = ['fraud', 'inventory', 'payment', 'shipping'];
const names = [
  'front-door',
  'submission',
  'scheduler',
  'supervisor',
  'notifier',
  'webhook',
  ...agents,
];
const entryOf = (name: string) =>
  agents.includes(name) ? `lambdas/agents/${name}.ts` : `lambdas/${name}.ts`;

/** Limits of the project: bytes of a bundle, and ms to load it. */
const limits = { agentBytes: 600_000, otherBytes: 860_000, loadMs: 150 };

const address = 'https://sqs.us-east-1.amazonaws.com/000000000000/queue';
const environment = {
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'cold',
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_PROCESSES_TABLE: 'processes',
  REEVE_COORDINATION_TABLE: 'coordination',
  REEVE_SHARDS: '4',
  REEVE_SWEEP_SECONDS: '60',
  REEVE_KEEP_DAYS: '30',
  REEVE_QUEUES: address,
  REEVE_PRIORITIES: 'normal',
  REEVE_AGENTS: agents.join(','),
  REEVE_REPLY_QUEUE: address,
  REEVE_RESPONSE_CHANNELS: '{}',
  REEVE_EVENT_BUS: 'default',
  REEVE_DEPLOYMENT: 'cold',
  REEVE_WEBHOOK: 'shop',
  REEVE_WEBHOOK_URL: 'https://shop.example.com',
  REEVE_WEBHOOK_SECRET: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:shop',
  REEVE_SERVICE_URL: 'https://service.example.com',
};

const folderOf = bundle(
  Object.fromEntries(names.map((name) => [name, entryOf(name)])),
  'lib/workflows/shipped.ts',
  join(mkdtempSync(join(tmpdir(), 'reeve-cold-')), 'bundles'),
);

/** Loads the file in a process of its own, on the first core. */
function loadMs(file: string): number {
  const script = `const before = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); process.stdout.write(String(performance.now() - before)); process.exit(0);`;
  const command = ['-c', '0', process.execPath, '--input-type=module', '--eval', script];
  return Number(execFileSync('taskset', command, { env: environment, encoding: 'utf8' }));
}

function measure(name: string) {
  const file = join(folderOf(name), 'index.mjs');
  const times = Array.from({ length: Number(flags.runs) }, () => loadMs(file)).sort(
    (a, b) => a - b,
  );
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  return { name, bytes: statSync(file).size, loadMs: Math.round(median * 10) / 10 };
}

const functions = names.map(measure);
const over = functions.filter(
  ({ name, bytes, loadMs: ms }) =>
    bytes > (agents.includes(name) ? limits.agentBytes : limits.otherBytes) || ms > limits.loadMs,
);

if (flags.json) {
  console.log(JSON.stringify({ functions, limits, over: over.map(({ name }) => name) }));
} else {
  console.log('function          bundle KB   load ms (median)');
  for (const { name, bytes, loadMs: ms } of functions) {
    const size = (bytes / 1_000).toFixed(0);
    console.log(`${name.padEnd(16)}${size.padStart(11)}${ms.toFixed(1).padStart(19)}`);
  }
}
if (over.length > 0) process.exitCode = 1;
