/** How a world is laid out; drawn for each. */
import type { Chance } from './chance.ts';

export interface Setting {
  /** All roles in one process, as `npm start` runs them; else each on machines of its own. */
  readonly oneProcess: boolean;
  readonly shards: number;
  readonly sweepPeriodMs: number;
  /** How late the schedule of the sweeps may be, ms. */
  readonly precisionMs: number;
  /** A gap between sweeps longer than this is an outage, ms: as the roles' shells have it. */
  readonly outageAfterMs: number;
  readonly visibilityMs: number;
  readonly stormMs: number;
  readonly orders: number;
}

export function drawnSetting(chance: Chance): Setting {
  const oneProcess = chance.hits(0.25);
  const sweepPeriodMs = chance.pick(oneProcess ? [10_000] : [15_000, 30_000, 60_000]);
  return {
    oneProcess,
    shards: oneProcess ? 1 : chance.between(1, 3),
    sweepPeriodMs,
    precisionMs: Math.min(sweepPeriodMs / 2, 20_000),
    outageAfterMs: (oneProcess ? 10 : 3) * sweepPeriodMs,
    visibilityMs: chance.pick([3_000, 15_000, 60_000]),
    stormMs: chance.between(60, 110) * 1_000,
    orders: chance.between(3, 4),
  };
}
