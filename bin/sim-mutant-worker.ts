/** One thread of `npm run sim:mutants`: loads the code with one mistake in it, and simulates until a rule breaks. */
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import { settle } from './sim-settle.ts';

const { file, text, instead, seedsMax } = z
  .object({ file: z.string(), text: z.string(), instead: z.string(), seedsMax: z.int() })
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

for (let seed = 1; seed <= seedsMax; seed += worldsAtOnce) {
  const results = await Promise.all(
    Array.from({ length: worldsAtOnce }, (_, at) =>
      simulate({ seed: seed + at, settle, crashPoints: points, keepStory: false }),
    ),
  );
  const found = results.find(({ violations }) => violations.length > 0);
  if (found === undefined) continue;
  parentPort?.postMessage({ seed: found.seed, ...found.violations[0] });
  break;
}
