/** A corner of the simulation by itself, in which nothing goes wrong unless a test says so. */
import { chance } from '#sim/chance.ts';
import { crashPoints } from '#sim/crash-points.ts';
import { type FaultRates, faults } from '#sim/faults.ts';
import type { Surroundings } from '#sim/surroundings.ts';
import { timeline } from '#sim/timeline.ts';
import { trace } from '#sim/trace.ts';
import { settle } from '../../bin/sim-settle.ts';

export function surroundings(rates: FaultRates = {}, start = Date.UTC(2026, 0, 1)): Surroundings {
  const drawn = chance(1);
  const time = timeline(start, settle);
  return {
    timeline: time,
    chance: drawn,
    faults: faults(rates, drawn),
    trace: trace(time.now, false),
    crashPoints: crashPoints(),
  };
}
