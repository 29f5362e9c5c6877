/** One thread of `npm run sim:mutants`: loads the code with one mistake in it, and simulates until a rule breaks. */
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import { settle } from '#testing/prove/settle.ts';

const { file, text, instead, first, seedsMax } = z
  .object({
    file: z.string(),
    text: z.string(),
    instead: z.string(),
    first: z.array(z.int()),
    seedsMax: z.int(),
  })
  .parse(workerData);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/lib/${file}`)) return loaded;
    const { source: read } = loaded;
    const source = typeof read === 'string' ? read : new TextDecoder().decode(read ?? undefined);
    return { ...loaded, source: plantMistake(source, { text, instead }) };
  },
});
const { simulate } = await import('#sim/world/simulate.ts');
const { crashPoints } = await import('#sim/faults/crash-points.ts');

Error.stackTraceLimit = 0;
/** Concurrent worlds: one turn of the event loop serves them all. */
const worldsAtOnce = 8;
const points = crashPoints();

/** Whether one of the worlds breaks a rule, which is then reported. */
async function isCaughtBy(seeds: readonly number[]): Promise<boolean> {
  const results = await Promise.all(
    seeds.map((seed) => simulate({ seed, settle, crashPoints: points, keepStory: false })),
  );
  const found = results.find(({ violations }) => violations.length > 0);
  if (found === undefined) return false;
  parentPort?.postMessage({ seed: found.seed, ...found.violations[0] });
  return true;
}

let isCaught = await isCaughtBy(first);
for (let seed = 1; !isCaught && seed <= seedsMax; seed += worldsAtOnce) {
  isCaught = await isCaughtBy(Array.from({ length: worldsAtOnce }, (_, at) => seed + at));
}
