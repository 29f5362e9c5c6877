/** The results of many simulations, added up. */

import type { Violation } from '#checkers/violation.ts';
import type { CrashPoints } from '#sim/faults/crash-points.ts';
import { type FaultName, faultNames } from '#sim/faults/fault-rates.ts';
import type { Simulation } from '#sim/world/simulate.ts';

/** A simulation that broke a rule; its seed reproduces it. */
export interface Failure {
  readonly seed: number;
  readonly first: Violation;
}

/** Plain data, which can be sent between threads. */
export interface Tally {
  readonly seeds: number;
  readonly orders: number;
  readonly hours: number;
  /** Simulations that broke a rule; `failures` lists the first of them. */
  readonly broken: number;
  readonly failures: readonly Failure[];
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  /** Awaits in the roles at which a process crashed, with the moment. */
  readonly struck: readonly string[];
  readonly hashes: readonly string[];
}

export const nothing: Tally = {
  seeds: 0,
  orders: 0,
  hours: 0,
  broken: 0,
  failures: [],
  faults: {},
  struck: [],
  hashes: [],
};

export function tallyOf(simulations: readonly Simulation[], { struck }: CrashPoints): Tally {
  const faults: Partial<Record<FaultName, number>> = {};
  for (const { hits } of simulations) {
    for (const [name, times] of hits) faults[name] = (faults[name] ?? 0) + times;
  }
  return {
    seeds: simulations.length,
    orders: simulations.reduce((sum, { orders }) => sum + orders, 0),
    hours: simulations.reduce((sum, { elapsedMs }) => sum + elapsedMs / 3_600_000, 0),
    broken: simulations.filter(({ violations }) => violations.length > 0).length,
    failures: simulations.flatMap(({ seed, violations: [first] }) =>
      first === undefined ? [] : [{ seed, first }],
    ),
    faults,
    struck: [...struck],
    hashes: simulations.map(({ seed, hash }) => `${seed} ${hash}`),
  };
}

/** Further failures are counted but not listed: a defect breaks thousands of seeds. */
const failuresMax = 100;

export function sum(one: Tally, other: Tally): Tally {
  const faults: Partial<Record<FaultName, number>> = {};
  for (const name of faultNames) {
    const times = (one.faults[name] ?? 0) + (other.faults[name] ?? 0);
    if (times > 0) faults[name] = times;
  }
  return {
    seeds: one.seeds + other.seeds,
    orders: one.orders + other.orders,
    hours: one.hours + other.hours,
    broken: one.broken + other.broken,
    failures: [...one.failures, ...other.failures].slice(0, failuresMax),
    faults,
    struck: [...new Set([...one.struck, ...other.struck])],
    hashes: [...one.hashes, ...other.hashes],
  };
}
