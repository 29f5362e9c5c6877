/** The layout of a world, drawn from its seed. */
import type { Chance } from './chance.ts';

export interface Setting {
  /** All roles in one process, as `npm start` runs them; otherwise each on its own machines. */
  readonly oneProcess: boolean;
  readonly shards: number;
  readonly sweepPeriodMs: number;
  /** The maximum delay of the sweep schedule, ms. */
  readonly precisionMs: number;
  /** A longer gap between sweeps counts as an outage, ms, as in the roles' shells. */
  readonly outageAfterMs: number;
  /** A sweep's time per order, ms; with `invocationMs`, the longest run of a sweep, it limits the orders per period. */
  readonly recoveryMs: number;
  readonly invocationMs: number;
  readonly visibilityMs: number;
  readonly faultsMs: number;
  readonly orders: number;
}

export function drawnSetting(chance: Chance): Setting {
  const oneProcess = chance.hits(0.25);
  const sweepPeriodMs = chance.pick(oneProcess ? [10_000] : [15_000, 30_000, 60_000]);
  // A quarter of all Supervisors are too slow for the recoveries that a hanging service causes.
  const isSlow = !oneProcess && chance.hits(0.25);
  return {
    oneProcess,
    recoveryMs: isSlow ? sweepPeriodMs * chance.pick([0.3, 0.6]) : 1,
    // For a period of a minute, lambdas/supervisor.ts has 50 s.
    invocationMs: (sweepPeriodMs * 5) / 6,
    shards: oneProcess ? 1 : chance.between(1, 3),
    sweepPeriodMs,
    precisionMs: Math.min(sweepPeriodMs / 2, 20_000),
    outageAfterMs: (oneProcess ? 10 : 3) * sweepPeriodMs,
    visibilityMs: chance.pick([3_000, 15_000, 60_000]),
    // A few worlds last longer than any message is delayed.
    faultsMs: chance.hits(0.04) ? 20 * 60_000 : chance.between(60, 110) * 1_000,
    orders: chance.between(3, 4),
  };
}
