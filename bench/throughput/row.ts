/** The figures of one measurement of the throughput, as its process prints them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

/** How the process of a measurement is run. */
export interface Run {
  /** Ends it, so that the measurement rejects. Default: nothing does. */
  readonly stopped?: AbortSignal;
  /** A folder for its temporary files. Default: that of the system. */
  readonly temporary?: string;
}

/** Measures in a process of its own. `folder`: a checkout of Reeve. */
export async function measured(folder: string, load: Load, run: Run = {}): Promise<Row> {
  const { liveOrders, orders, inFlight } = load;
  const args = ['--live', liveOrders, '--orders', orders, '--inFlight', inFlight].map(String);
  return row.parse(await printedBy(join(folder, 'bench/throughput.ts'), args, run));
}

const bareRow = z.object({ ordersPerSecond: z.number(), cpuMsPerOrder: z.number() });

/** What SQLite alone does with the same number of orders at once. */
export async function bare({ inFlight }: Load, run: Run): Promise<z.infer<typeof bareRow>> {
  const program = join(import.meta.dirname, 'bare.ts');
  return bareRow.parse(await printedBy(program, ['100000', String(inFlight)], run));
}

async function printedBy(
  program: string,
  args: readonly string[],
  { stopped, temporary }: Run,
): Promise<unknown> {
  stopped?.throwIfAborted();
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(temporary !== undefined && { TMPDIR: temporary }) },
  });
  const end = () => child.kill();
  stopped?.addEventListener('abort', end, { once: true });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  stopped?.removeEventListener('abort', end);
  stopped?.throwIfAborted();
  if (child.exitCode !== 0)
    throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}.`);
  return JSON.parse(printed);
}
