/** The layout of a world, drawn from its seed. */
import type { Chance } from './chance.ts';

export interface Setting {
  /** All roles in one process, as `npm start` runs them; otherwise each on its own machines. */
  readonly oneProcess: boolean;
  /** Whether deadline checks are sent, as the parameter `recovery` of the stack; one process has its timer. */
  readonly recovery: 'prompt' | 'sweep';
  /** The shards of the due index, of the old release. */
  readonly shards: number;
  /** Those of the new release, where they differ: more, or fewer where a raise was taken back. */
  readonly shardsOfNew?: number;
  readonly sweepPeriodMs: number;
  /** The maximum delay of the sweep schedule, ms. */
  readonly precisionMs: number;
  /** A longer gap between sweeps counts as an outage, ms, as in the roles' shells. */
  readonly outageAfterMs: number;
  /** A sweep's time per order, ms; with `invocationMs`, the longest run of a sweep, it limits the orders per period. */
  readonly recoveryMs: number;
  readonly invocationMs: number;
  readonly visibilityMs: number;
  /** The calls that each agent of one process makes at once. */
  readonly concurrency: number;
  /** How many orders may wait, and for how long. */
  readonly backlog: { readonly ordersMax: number; readonly backlogMaxMs: number };
  /** Whether one process lives on when the faults end, with what they left in its memory. */
  readonly livesOn: boolean;
  readonly faultsMs: number;
  readonly orders: number;
  /** Further orders, of one tenant, class and workflow, that are all submitted at once. */
  readonly flood: number;
  /** The functions of agents make a limited number of calls at once, so that a Scheduler reads their queues. */
  readonly agentsAreLimited: boolean;
  /** An operator drains agents and changes weights. Default: none does. */
  readonly operatesAgents?: boolean;
}

/** More calls than a world has steps. */
const concurrencyMax = 256;

/** @param isQuiet whether hardly anything fails except services, so that waiting is the only obstacle of an order */
export function drawnSetting(chance: Chance, isQuiet: boolean): Setting {
  const oneProcess = chance.hits(isQuiet ? 0.7 : 0.25);
  const sweepPeriodMs = chance.pick(oneProcess ? [10_000] : [15_000, 30_000, 60_000]);
  // A quarter of all Supervisors are too slow for the recoveries that a hanging service causes.
  const isSlow = !oneProcess && chance.hits(0.25);
  const drawn: Setting = {
    oneProcess,
    recoveryMs: isSlow ? sweepPeriodMs * chance.pick([0.3, 0.6]) : 1,
    // For a period of a minute, lambdas/supervisor.ts has 50 s.
    invocationMs: (sweepPeriodMs * 5) / 6,
    recovery: !oneProcess && chance.hits(0.5) ? 'prompt' : 'sweep',
    shards: oneProcess ? 1 : chance.between(1, 3),
    sweepPeriodMs,
    precisionMs: Math.min(sweepPeriodMs / 2, 20_000),
    outageAfterMs: (oneProcess ? 10 : 3) * sweepPeriodMs,
    visibilityMs: chance.pick([3_000, 15_000, 60_000]),
    concurrency: chance.pick([1, 2, 4, concurrencyMax, concurrencyMax]),
    backlog: {
      // Functions count once per sweep, after most orders of a world were submitted.
      ordersMax: chance.pick(oneProcess ? [5, 20, concurrencyMax] : [1, 2, concurrencyMax]),
      backlogMaxMs: chance.pick([5_000, 900_000]),
    },
    livesOn: oneProcess && chance.hits(0.5),
    // A few worlds last longer than any message is delayed.
    faultsMs: chance.hits(0.04) ? 20 * 60_000 : chance.between(60, 110) * 1_000,
    orders: chance.between(3, 4),
    // A slow Supervisor would be at work on a flood for longer than a world waits for its last work.
    flood: !isSlow && chance.hits(isQuiet ? 0.7 : 0.03) ? chance.between(6, 30) : 0,
    agentsAreLimited: chance.hits(0.25),
  };
  return oneProcess ? drawn : { ...drawn, ...raised(drawn) };
}

/**
 * In a third of the worlds the new release has three shards more, and in another third the old one: they were raised, and taken back.
 * Not drawn, so that the worlds of earlier seeds stay what they were.
 */
function raised({ shards, faultsMs }: Setting): Pick<Setting, 'shards' | 'shardsOfNew'> {
  const more = shards + 3;
  const third = (faultsMs / 1_000) % 3;
  if (third === 0) return { shards };
  return third === 1 ? { shards, shardsOfNew: more } : { shards: more, shardsOfNew: shards };
}
