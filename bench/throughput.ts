/**
 * Throughput, latency, CPU and memory of the embedded Reeve: a three-step workflow with agents in the process,
 * every transition durable (`synchronous=FULL`), beside 1,000, 10,000 and 100,000 live orders. `npm run bench`, or
 * with `-- --json`. Each row is measured in its own process.
 *
 * `npm run bench -- --against COMMIT` compares with another commit and with SQLite alone, in turns. With `--max 1.05` it exits 1
 * when an order needs more than 1.05 of the CPU that it needed then, and what the noise is; it says so where the noise is too high to
 * decide. `--guard` does that with the commit that throughput/base-commit.ts finds, and says why where there is none.
 */
import { parseArgs } from 'node:util';
import { baseCommit, installedGit } from './throughput/base-commit.ts';
import { measure } from './throughput/measure.ts';
import { type Pairs, pairs } from './throughput/pairs.ts';
import { measured, type Row } from './throughput/row.ts';
import { untilStopped } from './throughput/until-stopped.ts';
import { verdict } from './throughput/verdict.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    live: { type: 'string' },
    orders: { type: 'string', default: '40000' },
    inFlight: { type: 'string', default: '512' },
    against: { type: 'string' },
    guard: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    max: { type: 'string' },
  },
});

const load = (liveOrders: number) => ({
  liveOrders,
  orders: Number(flags.orders),
  inFlight: Number(flags.inFlight),
});

if (flags.live !== undefined) console.log(JSON.stringify(await measure(load(Number(flags.live)))));
else if (flags.against !== undefined) await compare(flags.against, flags.max);
else if (flags.guard) await guard();
else await report();

async function report(): Promise<void> {
  const rows: Row[] = [];
  for (const live of [1_000, 10_000, 100_000]) rows.push(await measured(process.cwd(), load(live)));
  if (flags.json) console.log(JSON.stringify(rows));
  else {
    console.log(
      `Three steps, agents in the process, synchronous=FULL, ${flags.inFlight} in flight:`,
    );
    console.table(rows);
  }
}

async function guard(): Promise<void> {
  const { commit, reason } = baseCommit(installedGit);
  if (commit === null) console.log(`Not compared with a commit before: ${reason}.`);
  else await compare(commit, flags.max ?? '1.05');
}

function compare(commit: string, max: string | undefined): Promise<void> {
  return untilStopped(async (stopped) => {
    const result = await pairs(commit, Number(flags.rounds), load(1_000), stopped);
    print(result, commit, max);
  });
}

function print(result: Pairs, commit: string, max: string | undefined): void {
  const { ordersPerSecond, cpuMsPerOrder, ofBare, cpuRatio, noise } = result;
  if (flags.json) console.log(JSON.stringify(result));
  else {
    console.table({ 'orders per second': ordersPerSecond, 'CPU of an order, ms': cpuMsPerOrder });
    console.log(`Of SQLite alone: ${ofBare.now}, ${commit} ${ofBare.before}.`);
    console.log(`CPU of an order by that of ${commit}: ${cpuRatio}; noise ${noise}.`);
  }
  if (max === undefined) return;
  const { isWorse, text } = verdict(result, Number(max));
  console.error(text);
  if (isWorse) process.exitCode = 1;
}
