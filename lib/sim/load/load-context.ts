/** Virtual time and chance without faults, and without a trace. */

import { faults } from '#sim/faults/fault-rates.ts';
import { builtIn } from '#sim/orders/built-in.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { type Settle, timeline } from '#sim/world/virtual-time.ts';

/** An arbitrary day. */
const start = 1_767_571_200_000;

export function invocationContext(seed: number, settle: Settle): SimContext {
  const chance = chanceOf(seed);
  return {
    chance,
    subject: builtIn,
    timeline: timeline(start, settle),
    faults: faults({}, chance),
    trace: { record() {}, hash: () => '', lines: [] },
    crashPoints: { here: () => [], mark() {}, struck: new Set() },
  };
}
