/** A limit that up to fifty instances of the Scheduler share, with clocks that are seconds apart. */
import { expect, test } from 'vitest';
import { limitsModel } from '../../bench/flow/limits-model.ts';

test.each([
  { perSecond: 5, writesMax: 1, seconds: 240 },
  { perSecond: 100, writesMax: 1, seconds: 10 },
])(
  '$perSecond calls per second are never exceeded, and used',
  async (rate) => {
    expect(await limitsModel(rate)).toMatchObject({ failures: 0, isPassed: true });
  },
  60_000,
);
