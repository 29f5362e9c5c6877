#!/usr/bin/env node
/**
 * Loses one message, call or machine in each of many worlds, and measures how long it takes until the step runs
 * again: `npm run sim:recovery`. As JSON: `--json`.
 */
import { parseArgs } from 'node:util';
import {
  oneLoss,
  oneLossIn,
  type Recovery,
  recoveriesOf,
  silenceIn,
  waitsOf,
} from '#sim/checks/recovery-time.ts';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { type Plan, simulate } from '#sim/world/simulate.ts';
import type { World } from '#sim/world/world.ts';
import { settle } from '#testing/prove/settle.ts';

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3000' },
    json: { type: 'boolean', default: false },
  },
});

/** The duration of messages and writes, which the bound excludes, ms. */
const hopsMs = 1_000;

const found: Recovery[] = [];
for (let seed = 1; seed <= Number(flags.seeds); seed += 1) {
  await simulate({
    seed,
    settle,
    crashPoints: crashPoints(),
    keepStory: false,
    plan: oneLoss,
    onEnd: (world) => found.push(...recoveriesOf(world)),
  });
}

/** The exactness that is promised, ms after the instant; null: none beyond the bound of the sweep. */
const promised = {
  'silent agent, prompt': { p50Ms: 1_500, p99Ms: 3_000 },
  'silent agent, sweep': null,
  // Of that, the simulated store takes up to 20 ms per call; a disk takes 1 ms.
  'silent agent, embedded': { p50Ms: 50, p99Ms: 100 },
  'wait, prompt': { p50Ms: 1_500, p99Ms: 3_000 },
  'wait, sweep': { p50Ms: 1_500, p99Ms: 3_000 },
  'wait, embedded': { p50Ms: 50, p99Ms: 100 },
} as const;

async function latenessIn(plan: Plan, of: (world: World) => readonly number[]) {
  const late: number[] = [];
  for (let seed = 1; seed <= Number(flags.seeds) / 3; seed += 1) {
    const common = { seed, settle, crashPoints: crashPoints(), keepStory: false, plan };
    await simulate({ ...common, onEnd: (world) => late.push(...of(world)) });
  }
  late.sort((a, b) => a - b);
  const at = (share: number) => late[Math.ceil(late.length * share) - 1] ?? 0;
  return { recoveries: late.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

const silentIn = (world: World) =>
  recoveriesOf(world).flatMap(({ lost, lateMs }) => (lost === 'attempt' ? [lateMs] : []));
const exact = [];
for (const place of ['prompt', 'sweep', 'embedded'] as const) {
  const what = `silent agent, ${place}` as const;
  exact.push({ what, ...(await latenessIn(oneLossIn(place), silentIn)), promised: promised[what] });
}
for (const place of ['prompt', 'sweep', 'embedded'] as const) {
  const what = `wait, ${place}` as const;
  exact.push({ what, ...(await latenessIn(silenceIn(place), waitsOf)), promised: promised[what] });
}
const broken = exact.filter(
  ({ recoveries, p50Ms, p99Ms, promised: bar }) =>
    recoveries === 0 || (bar !== null && (p50Ms > bar.p50Ms || p99Ms > bar.p99Ms)),
);

const rows = (['attempt', 'nudge'] as const).map((lost) => {
  const own = found.filter((recovery) => recovery.lost === lost);
  const took = own.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  return {
    lost,
    recoveries: own.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    boundMs: Math.max(0, ...own.map(({ boundMs }) => boundMs)),
    overBound: own.filter(({ tookMs, boundMs }) => tookMs > boundMs).length,
    /** The largest excess over the bound, ms; negative when all are below it. */
    worstMs: Math.max(...own.map(({ tookMs, boundMs }) => tookMs - boundMs)),
  };
});

if (flags.json)
  console.log(JSON.stringify({ recoveries: rows, exact, broken: broken.map(({ what }) => what) }));
else {
  console.log(
    'what was lost  recoveries      p50      p95      max  bound, at most  over it   worst by',
  );
  for (const row of rows) console.log(line(row));
  console.log('\nafter its instant        recoveries       p50       p99       max');
  for (const { what, recoveries, p50Ms, p99Ms, maxMs } of exact) {
    const times = [p50Ms, p99Ms, maxMs].map((ms) => `${ms} ms`.padStart(10)).join('');
    console.log(`${what.padEnd(25)}${String(recoveries).padStart(10)}${times}`);
  }
}
if (broken.length > 0 || rows.some(({ worstMs }) => worstMs > hopsMs)) process.exitCode = 1;

function line(row: (typeof rows)[number]): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  return [
    row.lost.padEnd(13),
    String(row.recoveries).padStart(11),
    ...[row.p50Ms, row.p95Ms, row.maxMs].map((ms) => seconds(ms).padStart(8)),
    seconds(row.boundMs).padStart(15),
    String(row.overBound).padStart(8),
    `${row.worstMs} ms`.padStart(9),
  ].join(' ');
}
