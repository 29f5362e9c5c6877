/**
 * What users would run instead on one machine, beside the embedded Reeve, in turns in one run: Restate with one partition, and
 * BullMQ on Redis that syncs each write. `npm run bench:peers`, or with `-- --json`. An order has three trivial steps, each on disk before
 * the next. It installs the peers into a temporary folder, and needs `redis-server` (Debian: `apt-get install redis-server`) and Linux.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { percentile, rounded } from './flow/figures.ts';
import { measured } from './throughput/row.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    orders: { type: 'string', default: '10000' },
    inFlight: { type: 'string', default: '256' },
  },
});
const orders = Number(flags.orders);
const inFlight = Number(flags.inFlight);
/** Restate's server has a licence that forbids to offer it as a service: this command runs it on this machine alone. */
const packages = [
  '@restatedev/restate-server@1.7.12',
  '@restatedev/restate-sdk@1.17.2',
  'bullmq@6.7.0',
  'ioredis@6.0.0',
];

const figures = z.object({
  ordersPerSecond: z.number(),
  cpuMsPerOrder: z.number(),
  aloneP50Ms: z.number(),
  aloneP99Ms: z.number(),
});
type Figures = z.infer<typeof figures>;

const folder = mkdtempSync(join(tmpdir(), 'reeve-peers-'));
try {
  install();
  const engines: Readonly<Record<string, () => Figures | Promise<Figures>>> = {
    Reeve: reeve,
    'Restate, one partition': () => printedBy('restate.mjs'),
    'BullMQ, appendfsync always': () => printedBy('bullmq.mjs'),
  };
  const rounds: Readonly<Record<string, Figures>>[] = [];
  while (rounds.length < Number(flags.rounds)) {
    const round: Record<string, Figures> = {};
    for (const [name, run] of Object.entries(engines)) round[name] = await run();
    rounds.push(round);
  }
  const of = (name: string, figure: keyof Figures) =>
    percentile(
      rounds.map((round) => round[name]?.[figure] ?? Number.NaN),
      0.5,
    );
  const rows = Object.keys(engines).map((name) => ({
    engine: name,
    ordersPerSecond: of(name, 'ordersPerSecond'),
    cpuMsPerOrder: rounded(of(name, 'cpuMsPerOrder')),
    aloneP50Ms: rounded(of(name, 'aloneP50Ms')),
    aloneP99Ms: rounded(of(name, 'aloneP99Ms')),
    /** Orders per second of Reeve by its own. */
    reeveIsFasterBy: rounded(of('Reeve', 'ordersPerSecond') / of(name, 'ordersPerSecond')),
  }));
  if (flags.json) console.log(JSON.stringify({ rounds: rounds.length, orders, inFlight, rows }));
  else {
    console.log(`Three steps, each on disk, ${inFlight} orders at once, ${rounds.length} rounds:`);
    console.table(rows);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function install(): void {
  const { error } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  if (error !== undefined) {
    const remedy = 'Install it (Debian: apt-get install redis-server).';
    throw new Error(`redis-server cannot be run. ${remedy}`, { cause: error });
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  cpSync(join(import.meta.dirname, 'peers'), folder, { recursive: true });
}

async function reeve(): Promise<Figures> {
  const row = await measured(process.cwd(), { liveOrders: 0, orders, inFlight });
  return {
    ordersPerSecond: row.ordersPerSecond,
    cpuMsPerOrder: row.cpuMsPerOrder,
    aloneP50Ms: row.p50Ms,
    aloneP99Ms: row.p99Ms,
  };
}

function printedBy(program: string): Figures {
  const text = execFileSync(process.execPath, [program, String(orders), String(inFlight)], {
    cwd: folder,
    encoding: 'utf8',
    // The SDK of Restate logs each invocation otherwise.
    env: { ...process.env, NODE_ENV: 'production', RESTATE_LOGGING: 'ERROR' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return figures.parse(JSON.parse(text.trim().split('\n').at(-1) ?? ''));
}
