#!/usr/bin/env node
/**
 * Offers a simulated deployment three times what one of its agents can take, in virtual time, and prints what becomes of the
 * orders: `npm run sim:overload`. As JSON: `--json`. Exits with 1 when a figure is not what is promised.
 */
import { parseArgs } from 'node:util';
import { capacityOf } from '#sim/load/capacity.ts';
import { type LoadSetting, threefold } from '#sim/load/load-setting.ts';
import { overload } from '#sim/load/overload.ts';
import { figuresOf, type OverloadFigures } from '#sim/load/overload-figures.ts';
import { settle } from '#testing/prove/settle.ts';

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** The duration of a call to the service that is the bottleneck, ms. */
    'call-ms': { type: 'string', default: '400' },
    /** How old the counts of queues are, ms. */
    'count-age-ms': { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});

const common = {
  seed: Number(flags.seed),
  callMs: Number(flags['call-ms']),
  variation: 0.3,
  countAgeMs: Number(flags['count-age-ms']),
  /** Small, so that orders are refused after a few minutes. */
  backlogMaxMs: 120_000,
};

interface Scenario {
  readonly name: string;
  readonly setting: LoadSetting;
  readonly seconds: number;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'one queue, ten minutes',
    // The smallest concurrency that Lambda allows.
    setting: { ...common, batches: 2, classes: 1 },
    seconds: 600,
  },
  {
    name: 'a queue for each class, one minute',
    setting: { ...common, batches: 6, classes: 3 },
    seconds: 60,
  },
];

const rows: (OverloadFigures & { readonly name: string })[] = [];
for (const { name, setting, seconds } of scenarios) {
  const capacity = await capacityOf(setting, settle);
  const forMs = seconds * 1_000;
  const options = { setting, capacity, forMs, offers: threefold };
  const seen = await overload({ ...options, settle });
  const row = { name, ...figuresOf({ ...options, seen }) };
  rows.push(row);
  if (!flags.json) print(row);
}
if (flags.json) console.log(JSON.stringify(rows));
if (rows.some(({ missed }) => missed.length > 0)) process.exitCode = 1;

function print({ name, missed, ...figures }: (typeof rows)[number]): void {
  console.log(`${missed.length === 0 ? 'passed' : `MISSED ${missed.join(', ')}`}: ${name}`);
  for (const [figure, value] of Object.entries(figures))
    console.log(`  ${figure.padEnd(20)}${value}`);
}
