/** The figures of one measurement of the throughput, as its process prints them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';

const row = z.object({
  liveOrders: z.number(),
  ordersPerSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  cpuMsPerOrder: z.number(),
  peakRssMiB: z.number(),
  sweepMs: z.number(),
});
export type Row = z.infer<typeof row>;

/** How much is measured. */
export interface Load {
  readonly liveOrders: number;
  /** Orders that are submitted and come to their end. */
  readonly orders: number;
  /** Of these at once. */
  readonly inFlight: number;
}

/** Measures in a process of its own. `folder`: a checkout of Reeve. */
export function measured(folder: string, { liveOrders, orders, inFlight }: Load): Row {
  const args = ['--live', liveOrders, '--orders', orders, '--inFlight', inFlight].map(String);
  return row.parse(printedBy(join(folder, 'bench/throughput.ts'), args));
}

const bareRow = z.object({ ordersPerSecond: z.number(), cpuMsPerOrder: z.number() });

/** What SQLite alone does with the same number of orders at once. */
export function bare({ inFlight }: Load): z.infer<typeof bareRow> {
  const program = join(import.meta.dirname, 'bare.ts');
  return bareRow.parse(printedBy(program, ['100000', String(inFlight)]));
}

function printedBy(program: string, args: readonly string[]): unknown {
  const text = execFileSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text);
}
