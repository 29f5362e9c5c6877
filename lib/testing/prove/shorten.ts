/** Searches a short way to a mistake that a seed has shown: one order, and as few faults as possible. */
import {
  type DrawnFault,
  type FaultName,
  type FaultRates,
  isDrawn,
} from '#sim/faults/fault-rates.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import type { Setting } from '#sim/world/setting.ts';
import type { Proof } from './proof.ts';
import { type ProofRun, proofRun } from './proof-run.ts';

/** What the code of agents and services notices. */
const telling: readonly DrawnFault[] = [
  ...(['service-late', 'service-unanswering', 'service-slow', 'service-down'] as const),
  ...(['service-refuses', 'service-outage', 'undo-refused', 'operator-cancels'] as const),
  ...(['answer-lost', 'retried-underneath', 'call-slow', 'message-doubled'] as const),
  ...(['crash-before-call', 'crash-after-call', 'crash-while-waiting', 'frozen'] as const),
];

/** How often each way is tried. */
const tries = { withOne: 6, withTheme: 100, withTelling: 40, withAny: 20 };
const fewFaults = [2, 3, 4, 6] as const;
const moreFaults = [3, 8, 20] as const;

/** @param faultsFactor of the run that has found the mistake */
export async function shortened(
  proof: Proof,
  found: ProofRun,
  faultsFactor: number,
): Promise<ProofRun> {
  const rule = found.breakages[0]?.rule;
  const names = [...found.hits.keys()].filter(isDrawn);
  for (const { seed, isPlain, ...plan } of waysTo(names, found.seed)) {
    const options = { seed, isPlain, faultsFactor, plan };
    const run = await proofRun(proof, options);
    if (run.breakages.some((one) => one.rule === rule))
      return proofRun(proof, { ...options, keepStory: true });
  }
  return proofRun(proof, { seed: found.seed, faultsFactor, keepStory: true });
}

interface Way {
  readonly seed: number;
  readonly setting: Setting;
  readonly isPlain: boolean;
  readonly rates: FaultRates;
  readonly faultsMax: number;
}

/** The shortest first. */
function* waysTo(names: readonly DrawnFault[], first: number): Generator<Way> {
  function* ways(some: readonly DrawnFault[], faultsMax: number, times: number): Generator<Way> {
    for (let seed = first; seed < first + times; seed += 1) {
      for (const setting of [smallest, deployed])
        yield {
          seed,
          faultsMax,
          rates: ratesOf(some, seed),
          setting,
          isPlain: times === tries.withOne,
        };
    }
  }
  yield* ways([], 0, tries.withOne);
  for (const name of telling) yield* ways([name], 1, tries.withOne);
  yield* ways([], 100, tries.withTheme);
  for (const faultsMax of fewFaults) yield* ways(telling, faultsMax, tries.withTelling);
  for (const faultsMax of moreFaults) yield* ways(names, faultsMax, tries.withAny);
}

const oneRates = [0.02, 0.1, 0.4] as const;
const manyRates = [0, ...oneRates] as const;

/** High or low, so that the first fault comes early or late. */
function ratesOf(names: readonly DrawnFault[], seed: number): FaultRates {
  const chance = chanceOf(seed);
  const rates: Partial<Record<DrawnFault, number>> = {};
  for (const name of names) rates[name] = chance.pick(names.length === 1 ? oneRates : manyRates);
  return rates;
}

/** All in one process, whose trace is the shortest. */
const smallest: Setting = {
  oneProcess: true,
  recovery: 'sweep',
  shards: 1,
  sweepPeriodMs: 10_000,
  precisionMs: 5_000,
  outageAfterMs: 100_000,
  recoveryMs: 1,
  invocationMs: 8_000,
  visibilityMs: 3_000,
  concurrency: 256,
  backlog: { ordersMax: 256, backlogMaxMs: 900_000 },
  livesOn: true,
  faultsMs: 60_000,
  orders: 1,
  flood: 0,
  agentsAreLimited: false,
};

/** A deployment, where messages are doubled. */
const deployed: Setting = { ...smallest, oneProcess: false, recovery: 'prompt', livesOn: false };

/** A world without faults. */
export const calmPlan = {
  setting: { ...smallest, orders: 6 },
  rates: {},
  faultsMax: 0,
} as const;

/** The faults of a run, with their numbers. */
export const faultsOf = ({ hits }: ProofRun): readonly (readonly [FaultName, number])[] =>
  [...hits].filter(([name]) => isDrawn(name));
