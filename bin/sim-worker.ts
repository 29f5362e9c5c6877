/** One thread of `npm run sim`: simulates every `step`-th seed and reports in batches. */
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { tallyOf } from '#sim/checks/tally.ts';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { simulateDrawn } from '#sim/orders/drawn/simulate-drawn.ts';
import { type Simulation, simulate } from '#sim/world/simulate.ts';
import { settle } from '#testing/prove/settle.ts';

const { first, last, step, hashes, drawn } = z
  .object({
    first: z.int(),
    last: z.int(),
    step: z.int(),
    hashes: z.boolean(),
    drawn: z.boolean(),
  })
  .parse(workerData);

/** Simulations per report. */
const batchMax = 200;

// Simulations throw many errors, and their stacks are not used.
Error.stackTraceLimit = 0;
const points = crashPoints();
let batch: Simulation[] = [];

function report(): void {
  const tally = tallyOf(batch, points);
  parentPort?.postMessage(hashes ? tally : { ...tally, hashes: [] });
  batch = [];
}

const simulated = drawn ? simulateDrawn : simulate;

for (let seed = first; seed <= last; seed += step) {
  batch.push(await simulated({ seed, settle, crashPoints: points, keepStory: false }));
  if (batch.length < batchMax) continue;
  report();
  // Simulations never yield to the event loop's other phases by themselves.
  await setImmediate();
}
report();
