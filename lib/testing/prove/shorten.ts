/** Searches a short way to a mistake that a seed has shown: one order, and as few faults as possible. */
import {
  type DrawnFault,
  type FaultName,
  type FaultRates,
  isDrawn,
} from '#sim/faults/fault-rates.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import type { Setting } from '#sim/world/setting.ts';
import { fewestFaults } from './fewest-faults.ts';
import type { Proof } from './proof.ts';
import { type ProofRun, type ProofRunOptions, proofRun } from './proof-run.ts';

/** What the code of agents and services notices. */
const telling: readonly DrawnFault[] = [
  ...(['service-refuses', 'answer-lost', 'service-down', 'retried-underneath'] as const),
  ...(['operator-cancels', 'service-late', 'service-unanswering', 'service-slow'] as const),
  ...(['crash-after-call', 'crash-before-call', 'crash-while-waiting', 'frozen'] as const),
  ...(['service-outage', 'undo-refused', 'call-slow', 'message-doubled'] as const),
];

/** How often each way is tried. */
const tries = { plain: 6, withOne: 6, withTheme: 40, withTelling: 30, withAny: 20 };
const fewOrders = [1, 2, 4] as const;
const fewFaults = [2, 3, 4, 6] as const;
const moreFaults = [8, 20] as const;

/**
 * A world that shows the mistake of the given one, with the fewest orders and faults that were found.
 *
 * @param faultsFactor of the run that has found the mistake
 */
export async function shortened(
  proof: Proof,
  found: ProofRun,
  faultsFactor: number,
): Promise<ProofRun> {
  const rule = found.breakages[0]?.rule;
  const showsIt = ({ breakages }: ProofRun) => breakages.some((one) => one.rule === rule);
  const names = [...found.hits.keys()].filter(isDrawn);
  const { release = found.seed, inOneProcess = false } = found.options;
  const settings = inOneProcess ? [smallest] : [smallest, deployed];
  let options = found.options;
  let short = found;
  for (const way of waysTo(names, found.seed, settings)) {
    const tried = { ...way, faultsFactor, release, inOneProcess };
    const run = await proofRun(proof, tried);
    if (!showsIt(run)) continue;
    options = tried;
    short = run;
    break;
  }
  const onlyFaults = await fewestFaults(faultCount(short), async (some) =>
    showsIt(await proofRun(proof, { ...options, onlyFaults: some })),
  );
  return proofRun(proof, { ...options, onlyFaults, keepStory: true });
}

type Way = Required<Pick<ProofRunOptions, 'seed' | 'isPlain' | 'plan'>>;

interface Ways {
  readonly names: readonly DrawnFault[];
  readonly faultsMax: number;
  readonly times: number;
  readonly orders?: number;
  readonly isPlain?: boolean;
}

/** The shortest first. */
function* waysTo(
  names: readonly DrawnFault[],
  first: number,
  settings: readonly Setting[],
): Generator<Way> {
  function* ways({ names: some, faultsMax, times, orders = 1, isPlain = false }: Ways) {
    for (let seed = first; seed < first + times; seed += 1) {
      for (const setting of settings) {
        const plan = { setting: { ...setting, orders }, rates: ratesOf(some, seed), faultsMax };
        yield { seed, isPlain, plan };
      }
    }
  }
  for (const orders of fewOrders)
    yield* ways({ names: [], faultsMax: 0, times: tries.plain, orders, isPlain: true });
  for (const name of telling)
    yield* ways({ names: [name], faultsMax: 1, times: tries.withOne, isPlain: true });
  yield* ways({ names: [], faultsMax: themeFaults, times: tries.withTheme });
  for (const faultsMax of fewFaults)
    yield* ways({ names: telling, faultsMax, times: tries.withTelling });
  for (const faultsMax of moreFaults) yield* ways({ names, faultsMax, times: tries.withAny });
}

/** More than one order meets by what is frequent in its world. */
const themeFaults = 100;

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
export const calmPlan = { setting: { ...smallest, orders: 6 }, rates: {}, faultsMax: 0 } as const;

/** The faults of a run, with their numbers. */
export const faultsOf = ({ hits }: ProofRun): readonly (readonly [FaultName, number])[] =>
  [...hits].filter(([name]) => isDrawn(name));

const faultCount = (run: ProofRun) => faultsOf(run).reduce((sum, [, times]) => sum + times, 0);
