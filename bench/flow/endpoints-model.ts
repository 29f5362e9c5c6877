/** One of four endpoints dies: 600 calls per second over 40 instances that share ejections, in virtual time. */
import { type Death, endpointDeaths } from '#sim/load/endpoint-deaths.ts';
import { endpointFigures } from '#sim/load/endpoint-figures.ts';
import { settle } from '#testing/prove/settle.ts';

const load = { instances: 40, callsPerSecond: 600, settle };
const seeds = [1, 2, 3, 4, 5];

/** The worst of several seeds. */
export async function endpointsModel(death: Death) {
  const rows = [];
  for (const seed of seeds) {
    const seen = await endpointDeaths({ ...load, death, seed, beforeS: 10, afterS: 30 });
    const { held, ejections, reads, writes } = seen;
    rows.push({ ...endpointFigures(death, seen.calls, seen), held, ejections, reads, writes });
  }
  const [worst] = rows.toSorted((a, b) => b.under5PercentMs - a.under5PercentMs);
  return {
    ...worst,
    percentAfter5s: Math.max(...rows.map(({ percentAfter5s }) => percentAfter5s)),
    failed: Math.max(...rows.map(({ failed }) => failed)),
    isPassed: rows.every(({ isPassed }) => isPassed),
  };
}

/** No endpoint dies, and one call in a hundred takes twenty times as long: nothing may be ejected. */
export async function endpointsJitter(seconds: number) {
  const { calls, steps, failed, ejections } = await endpointDeaths({
    ...load,
    death: null,
    seed: 1,
    beforeS: 0,
    afterS: seconds,
  });
  return {
    death: 'none',
    seconds,
    steps,
    calls: calls.length,
    failed,
    ejections,
    isPassed: ejections === 0,
  };
}
