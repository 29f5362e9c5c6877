/**
 * Throughput, latency, CPU and memory of the embedded Reeve: a three-step workflow with agents in the process,
 * every transition durable (`synchronous=FULL`), beside 1,000, 10,000 and 100,000 live orders. `npm run bench`, or
 * with `-- --json`. Each row is measured in its own process.
 *
 * `npm run bench -- --against COMMIT` compares with another commit and with SQLite alone, in turns. With `--max 1.05` it exits 1
 * when an order needs more than 1.05 of the CPU that it needed then, and what the noise is.
 */
import { parseArgs } from 'node:util';
import { measure } from './throughput/measure.ts';
import { pairs } from './throughput/pairs.ts';
import { measured } from './throughput/row.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    live: { type: 'string' },
    orders: { type: 'string', default: '40000' },
    inFlight: { type: 'string', default: '512' },
    against: { type: 'string' },
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
else if (flags.against !== undefined) compare(flags.against);
else report();

function report(): void {
  const rows = [1_000, 10_000, 100_000].map((live) => measured(process.cwd(), load(live)));
  if (flags.json) console.log(JSON.stringify(rows));
  else {
    console.log(
      `Three steps, agents in the process, synchronous=FULL, ${flags.inFlight} in flight:`,
    );
    console.table(rows);
  }
}

function compare(commit: string): void {
  const result = pairs(commit, Number(flags.rounds), load(1_000));
  const { ordersPerSecond, cpuMsPerOrder, ofBare, cpuRatio, noise } = result;
  if (flags.json) console.log(JSON.stringify(result));
  else {
    console.table({ 'orders per second': ordersPerSecond, 'CPU of an order, ms': cpuMsPerOrder });
    console.log(`Of SQLite alone: ${ofBare.now}, ${commit} ${ofBare.before}.`);
    console.log(`CPU of an order by that of ${commit}: ${cpuRatio}; noise ${noise}.`);
  }
  if (flags.max !== undefined && cpuRatio > Number(flags.max) + noise) {
    console.error(`An order needs more than ${flags.max} of the CPU that it needed before.`);
    process.exitCode = 1;
  }
}
