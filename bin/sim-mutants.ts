#!/usr/bin/env node
/**
 * Plants mistakes in the shipped code, one at a time, and simulates until each breaks a rule: `npm run
 * sim:mutants`. As JSON: `--json`. `--write` writes the table to docs/proof.md. `--known` begins with the seed that the table
 * has for a mistake, which takes a fraction of the time; the search follows where that seed does not find it any more. Both together
 * keep the seeds that still find theirs, of which one is not the first: at that, the world ends after minutes only. `--shard 2/3`: the
 * second third of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { listShard } from '#sim/list-shard.ts';
import type { Mutant } from '#sim/mutants/mutant.ts';
import { mutants as allMutants } from '#sim/mutants/mutants.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '30000' },
    shard: { type: 'string', default: '1/1' },
  },
});

interface Outcome {
  readonly mutant: Mutant;
  /** Null: no simulation found the mutant. */
  readonly found: { readonly seed: number; readonly rule: string; readonly message: string } | null;
}

const foundSchema = z.object({ seed: z.int(), rule: z.string(), message: z.string() });
const page = 'docs/proof.md';
const [begin, end] = ['<!-- mutants -->', '<!-- /mutants -->'];

if (flags.write && (flags.only !== '' || flags.shard !== '1/1')) {
  console.error('--write writes the table of all mistakes: give neither --only nor --shard');
  process.exit(2);
}
const mutants = listShard(
  allMutants.filter(({ name }) => name.includes(flags.only)),
  flags.shard,
);
const known = flags.known ? seedsOfTable() : new Map<string, number>();
const outcomes: Outcome[] = [];
const waiting = [...mutants];
await Promise.all(Array.from({ length: availableParallelism() }, tryThem));
outcomes.sort((a, b) => mutants.indexOf(a.mutant) - mutants.indexOf(b.mutant));

const survivors = outcomes.filter(({ found }) => found === null);
const seeds = outcomes.flatMap(({ found }) => found?.seed ?? []).sort((a, b) => a - b);
const medianSeeds = seeds[Math.floor(seeds.length / 2)] ?? 0;
const planted = outcomes.length;
if (flags.json) {
  const names = survivors.map(({ mutant }) => mutant.name);
  console.log(JSON.stringify({ planted, caught: seeds.length, survivors: names, medianSeeds }));
} else {
  console.log(`${seeds.length} of ${planted} mistakes found; median ${medianSeeds} seeds`);
}
if (flags.write) write();
if (survivors.length > 0) process.exitCode = 1;

async function tryThem(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = { mutant, found: await caught(mutant) };
    outcomes.push(outcome);
    if (!flags.json) console.log(line(outcome));
  }
}

function caught(mutant: Mutant): Promise<Outcome['found']> {
  return new Promise((resolve, reject) => {
    const first = [known.get(mutant.name) ?? []].flat();
    const workerData = { ...mutant, first, seedsMax: Number(flags.seeds) };
    const thread = new Worker(new URL('./sim-mutant-worker.ts', import.meta.url), { workerData });
    thread.on('message', (found) => resolve(foundSchema.parse(found)));
    // A check that throws is to be corrected: it says nothing of the mistake.
    thread.on('error', (cause) =>
      reject(new Error(`The simulation of "${mutant.name}" threw`, { cause })),
    );
    thread.on('exit', () => resolve(null));
  });
}

function line({ mutant, found }: Outcome): string {
  const name = `${mutant.name} (${mutant.file})`;
  return found === null
    ? `SURVIVED  ${name}`
    : `${String(found.seed).padStart(5)}  ${found.rule.padEnd(4)} ${name}: ${found.message}`;
}

/** The seed of each mistake in the table. */
function seedsOfTable(): ReadonlyMap<string, number> {
  const [, table = ''] = readFileSync(page, 'utf8').split(begin);
  const rows = (table.split(end)[0] ?? '').matchAll(/^\| (.+?) \| `.*\| (\d+) \|$/gm);
  return new Map([...rows].map(([, name = '', seed]) => [name, Number(seed)]));
}

function write(): void {
  const rows = outcomes.map(({ mutant, found }) => {
    const [rule, seed] = found === null ? ['none', '-'] : [found.rule, String(found.seed)];
    return `| ${mutant.name} | \`${mutant.file}\` | ${rule} | ${seed} |`;
  });
  const table = [
    begin,
    '| the mistake | in | caught by | at seed |',
    '| --- | --- | --- | ---: |',
    ...rows,
    '',
    `${seeds.length} of ${planted} caught; the median is ${medianSeeds} seeds.`,
    end,
  ].join('\n');
  const text = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  writeFileSync(page, `${before}${table}${rest.split(end)[1] ?? ''}`);
}
