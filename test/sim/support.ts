/** A part of the simulation by itself, without faults unless a test sets rates. */

import { crashPoints } from '#sim/faults/crash-points.ts';
import { type FaultRates, faults } from '#sim/faults/fault-rates.ts';
import { builtIn } from '#sim/orders/built-in.ts';
import { chance } from '#sim/world/chance.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { trace } from '#sim/world/trace.ts';
import { timeline } from '#sim/world/virtual-time.ts';
import { settle } from '#testing/prove/settle.ts';

export function surroundings(rates: FaultRates = {}, start = Date.UTC(2026, 0, 1)): SimContext {
  const drawn = chance(1);
  const time = timeline(start, settle);
  return {
    timeline: time,
    chance: drawn,
    subject: builtIn,
    faults: faults(rates, drawn),
    trace: trace(time.now, false),
    crashPoints: crashPoints(),
  };
}
