#!/usr/bin/env node
/**
 * Simulates worlds from their seeds: `npm run sim -- --seeds 3000`. One of them with its trace: `npm run sim --
 * --seed 7 --trace`. As JSON: `--json`; with a hash per seed: `--hashes`. With `--drawn`, workflows and agents are drawn as well. Exits with 1 when a
 * rule was broken, and when a run of 5,000 seeds or more of built-in orders has left out a kind of fault, or an await at which no process died.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { nothing, sum, type Tally } from '#sim/checks/tally.ts';
import {
  awaitSitesOf,
  crashPoints,
  expectedSites,
  missedPoints,
} from '#sim/faults/crash-points.ts';
import { faultNames } from '#sim/faults/fault-rates.ts';
import { uncrashed } from '#sim/faults/uncrashed.ts';
import { simulateDrawn } from '#sim/orders/drawn/simulate-drawn.ts';
import { simulate } from '#sim/world/simulate.ts';
import { settle } from '#testing/prove/settle.ts';

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    drawn: { type: 'boolean', default: false },
  },
});

/** So many seeds have every kind of fault, and a crash at every await of the roles; fewer may leave some out. */
const completeSeeds = 5_000;

if (flags.seed === undefined) await many();
else await one(number('seed', flags.seed));

function number(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} ${text}: give a positive whole number`);
  process.exit(2);
}

async function one(seed: number): Promise<void> {
  const points = crashPoints();
  const simulated = flags.drawn ? simulateDrawn : simulate;
  const result = await simulated({ seed, settle, crashPoints: points, keepStory: flags.trace });
  if (flags.trace) console.log(result.story.join('\n'));
  console.log(`seed ${seed}  trace ${result.hash}  ${result.orders} orders`);
  for (const { rule, message } of result.violations) console.log(`BROKEN ${rule}: ${message}`);
  if (result.violations.length > 0) process.exitCode = 1;
}

async function many(): Promise<void> {
  const seeds = number('seeds', flags.seeds);
  const first = number('from', flags.from);
  const threads = Math.min(number('threads', flags.threads), seeds);
  const began = performance.now();
  let tally: Tally = nothing;
  /** Memory at each tenth of the run, MB. */
  const memory: number[] = [];
  const seconds = () => (performance.now() - began) / 1_000;
  const result = (one: Tally) => {
    tally = sum(tally, one);
    if (tally.seeds >= ((memory.length + 1) * seeds) / 10) memory.push(megabytes());
    if (process.stderr.isTTY) process.stderr.write(`\r${progress(tally, seconds())}`);
  };
  await Promise.all(
    Array.from({ length: threads }, (_, at) =>
      worker({ first: first + at, last: first + seeds - 1, step: threads }, result),
    ),
  );
  report(tally, { seconds: seconds(), threads, memory });
}

interface Share {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

function worker(share: Share, result: (tally: Tally) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./sim-worker.ts', import.meta.url), {
      workerData: { ...share, hashes: flags.hashes, drawn: flags.drawn },
      // Worlds are short-lived: enough room for them keeps the garbage collector from copying many.
      resourceLimits: { maxYoungGenerationSizeMb: 128 },
    });
    thread.on('message', result);
    thread.on('error', reject);
    thread.on('exit', () => resolve());
  });
}

function megabytes(): number {
  return Math.round(process.memoryUsage.rss() / 2 ** 20);
}

function progress({ seeds, broken }: Tally, seconds: number): string {
  const speed = Math.round(seeds / seconds);
  return `${seeds.toLocaleString('en')} seeds, ${speed} per second, ${broken} broken, ${megabytes()} MB `;
}

interface Effort {
  readonly seconds: number;
  readonly threads: number;
  readonly memory: readonly number[];
}

function report(tally: Tally, { seconds, threads, memory }: Effort): void {
  const files = readdirSync('lib/roles', { recursive: true, encoding: 'utf8' });
  const sites = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => awaitSitesOf(basename(file), readFileSync(`lib/roles/${file}`, 'utf8')));
  const missed = missedPoints(sites, new Set(tally.struck), uncrashed);
  const unseen = faultNames.filter((name) => tally.faults[name] === undefined);
  const total = 2 * expectedSites(sites, uncrashed).length;
  const crash = { hit: total - missed.length, total };
  const seedsPerSecond = Math.round(tally.seeds / seconds);
  if (flags.hashes) {
    const bySeed = (line: string) => Number(line.split(' ')[0]);
    console.log(tally.hashes.toSorted((a, b) => bySeed(a) - bySeed(b)).join('\n'));
  } else if (flags.json) {
    const { seeds, broken: violations, faults } = tally;
    console.log(JSON.stringify({ seeds, violations, seedsPerSecond, faults, crashPoints: crash }));
  } else {
    for (const name of faultNames) {
      const times = tally.faults[name] ?? 0;
      console.log(`${name.padEnd(28)}${times.toLocaleString('en').padStart(14)}`);
    }
    const places = `${crash.hit}/${crash.total}`;
    const hours = Math.round(tally.hours).toLocaleString('en');
    console.log(`
${tally.seeds.toLocaleString('en')} seeds, ${tally.orders.toLocaleString('en')} orders, ${hours} hours of virtual time
${seedsPerSecond} seeds per second on ${threads} threads, memory during the run ${memory.join(' ')} MB
${places} awaits of the roles had a crash, before and after; ${2 * sites.length - crash.total} are not expected to be (lib/sim/faults/uncrashed.ts)`);
    for (const point of missed) console.log(`  never crashed: ${point}`);
    console.log(`${tally.broken} violations`);
  }
  for (const { seed, first } of tally.failures.slice(0, 20)) {
    console.error(`seed ${seed}: BROKEN ${first.rule}: ${first.message}`);
  }
  if (unseen.length > 0) console.error(`faults that never happened: ${unseen.join(', ')}`);
  const mayBeIncomplete = flags.drawn || tally.seeds < completeSeeds;
  const isIncomplete = !mayBeIncomplete && unseen.length + missed.length > 0;
  if (tally.broken > 0 || isIncomplete) process.exitCode = 1;
}
