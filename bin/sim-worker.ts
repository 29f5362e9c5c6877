/** One thread of `npm run sim`: every so-manieth seed, told in batches. */
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { crashPoints } from '#sim/crash-points.ts';
import { type Simulation, simulate } from '#sim/simulate.ts';
import { tallyOf } from '#sim/tally.ts';
import { settle } from './sim-settle.ts';

const { first, last, step, hashes } = z
  .object({ first: z.int(), last: z.int(), step: z.int(), hashes: z.boolean() })
  .parse(workerData);

/** Told at once. */
const batchMax = 200;
/** Worlds that live side by side: a turn of the event loop serves them all. */
const worldsAtOnce = 8;

// Errors are a simulation's daily bread, and nobody reads where they came from.
Error.stackTraceLimit = 0;
const points = crashPoints();
let batch: Simulation[] = [];
let next = first;

function tell(): void {
  const tally = tallyOf(batch, points);
  parentPort?.postMessage(hashes ? tally : { ...tally, hashes: [] });
  batch = [];
}

async function live(): Promise<void> {
  while (next <= last) {
    const seed = next;
    next += step;
    const told = await simulate({ seed, settle, crashPoints: points, keepStory: false });
    batch.push(told);
    if (batch.length === batchMax) tell();
  }
}

await Promise.all(Array.from({ length: worldsAtOnce }, live));
tell();
