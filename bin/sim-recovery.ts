#!/usr/bin/env node
/**
 * Loses one message, call or machine in each of many worlds, and measures how long it takes until the step runs
 * again: `npm run sim:recovery`. As JSON: `--json`.
 */
import { parseArgs } from 'node:util';
import { oneLoss, type Recovery, recoveriesOf } from '#sim/checks/recovery-time.ts';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { simulate } from '#sim/world/simulate.ts';
import { settle } from './sim-settle.ts';

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

if (flags.json) console.log(JSON.stringify({ recoveries: rows }));
else {
  console.log(
    'what was lost  recoveries      p50      p95      max  bound, at most  over it   worst by',
  );
  for (const row of rows) console.log(line(row));
}
if (rows.some(({ worstMs }) => worstMs > hopsMs)) process.exitCode = 1;

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
