/** One of the endpoints of a service dies, in virtual time. */
import { expect, test } from 'vitest';
import { type Death, deaths, endpointDeaths } from '#sim/load/endpoint-deaths.ts';
import { endpointFigures } from '#sim/load/endpoint-figures.ts';
import { settle } from '#testing/prove/settle.ts';

const run = (death: Death | null) =>
  endpointDeaths({
    ...{ death, settle, instances: 40, callsPerSecond: 600, seed: 1 },
    // As in the bench: within 15 s after the death, chance moves the share of the dead endpoint by half a percent.
    ...{ beforeS: 10, afterS: 30 },
  });

test.each(deaths)('when an endpoint dies (%s), calls soon go to the others', async (death) => {
  const seen = await run(death);
  expect(endpointFigures(death, seen.calls, seen)).toMatchObject({ isPassed: true, failed: 0 });
  expect(seen.writes).toBeLessThan(40);
});

test('endpoints that are sometimes slow are not ejected', async () => {
  const { calls, ejections, writes } = await run(null);
  expect({ ejections, writes }).toEqual({ ejections: 0, writes: 0 });
  expect(calls.length).toBeGreaterThan(10_000);
});
