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
  /** What a sweep takes for one order, ms, and for how long it may run: how far it gets in a period. */
  readonly recoveryMs: number;
  readonly invocationMs: number;
  readonly visibilityMs: number;
  readonly faultsMs: number;
  readonly orders: number;
}

export function drawnSetting(chance: Chance): Setting {
  const oneProcess = chance.hits(0.25);
  const sweepPeriodMs = chance.pick(oneProcess ? [10_000] : [15_000, 30_000, 60_000]);
  // A quarter of all Supervisors are too slow for what a service that hangs leaves them.
  const isSlow = !oneProcess && chance.hits(0.25);
  return {
    oneProcess,
    recoveryMs: isSlow ? sweepPeriodMs * chance.pick([0.3, 0.6]) : 1,
    // Of a minute, lambdas/supervisor.ts has 50 s.
    invocationMs: (sweepPeriodMs * 5) / 6,
    shards: oneProcess ? 1 : chance.between(1, 3),
    sweepPeriodMs,
    precisionMs: Math.min(sweepPeriodMs / 2, 20_000),
    outageAfterMs: (oneProcess ? 10 : 3) * sweepPeriodMs,
    visibilityMs: chance.pick([3_000, 15_000, 60_000]),
    faultsMs: chance.between(60, 110) * 1_000,
    orders: chance.between(3, 4),
  };
}
