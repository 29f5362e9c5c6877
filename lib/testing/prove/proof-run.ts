/** One simulated world of a proof. */
import type { RuleName } from '#checkers/violation.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';
import type { CrashPoints } from '#sim/faults/crash-points.ts';
import { drawnRates, type FaultName, quietRates } from '#sim/faults/fault-rates.ts';
import { recordsOf } from '#sim/ports/sim-table.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import { drawnSetting, type Setting } from '#sim/world/setting.ts';
import { type Plan, quietShare, simulate } from '#sim/world/simulate.ts';
import type { Finding, FindingKind } from './finding.ts';
import { versionName } from './orders/release.ts';
import { worldEnded } from './process/loop-warning.ts';
import type { Proof } from './proof.ts';
import { emphasis, proofSubject } from './proof-subject.ts';
import { settle } from './settle.ts';
import { definitionName, noteOrder, noteSkipped } from './tally/note-order.ts';
import { tally as emptyTally, type Tally } from './tally/tally.ts';

/** A mistake, or a rule of Reeve that was broken. */
export interface Breakage {
  readonly rule: FindingKind | RuleName;
  readonly message: string;
}

export interface ProofRun {
  readonly seed: number;
  readonly hash: string;
  readonly breakages: readonly Breakage[];
  readonly orders: number;
  readonly elapsedMs: number;
  readonly hits: ReadonlyMap<FaultName, number>;
  readonly story: readonly string[];
  readonly setting: Setting | null;
  /** How long the slowest order took, ms. */
  readonly longestMs: number;
  /** How long the slowest call of an agent took, ms. */
  readonly longestTryMs: number;
  /** With which the same world is simulated again. */
  readonly options: ProofRunOptions;
  /** An order that was processed, by the version of its workflow: `shop@1`. */
  readonly samples: ReadonlyMap<string, Sample>;
  /** Why the first order failed that did, by the version of its workflow. */
  readonly failures: ReadonlyMap<string, string>;
  /** What its orders and calls came to. */
  readonly tally: Tally;
}

/** Enough to find the line of the user, below the frames of the simulation. */
const framesKept = 10;

/** The details of an order, and what its steps returned. */
export interface Sample {
  readonly details: JsonValue;
  readonly outputs: Readonly<Record<string, JsonValue>>;
}

export interface ProofRunOptions {
  readonly seed: number;
  readonly faultsFactor: number;
  readonly keepStory?: boolean;
  /** Nothing is frequent in the world. Default: what its seed says. */
  readonly isPlain?: boolean;
  /** See `releaseOf`. Default: the seed, so that the worlds of a proof are those of one release after the other. */
  readonly release?: number;
  /** Whether the orders are of one workflow after the other. Default: their workflows are drawn. */
  readonly inTurn?: boolean;
  readonly plan?: Plan;
  /** Whether the world has one process. Default: drawn, where there is no plan. */
  readonly inOneProcess?: boolean;
  /** See `SimulationOptions`. */
  readonly onlyFaults?: ReadonlySet<number>;
}

export async function proofRun(proof: Proof, options: ProofRunOptions): Promise<ProofRun> {
  const { stackTraceLimit } = Error;
  // Simulations throw many errors, and their stacks are used for a story alone.
  Error.stackTraceLimit = options.keepStory === true ? framesKept : 0;
  try {
    return await simulated(proof, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    worldEnded();
  }
}

async function simulated(proof: Proof, options: ProofRunOptions): Promise<ProofRun> {
  const { seed, faultsFactor, keepStory = false, isPlain = false } = options;
  const { release = seed, inTurn = false, inOneProcess = false, onlyFaults } = options;
  const { plan = inOneProcess ? oneProcessPlan(seed) : undefined } = options;
  const findings: Finding[] = [];
  const tally = emptyTally();
  const seen: Seen = { tally, samples: new Map(), failures: new Map() };
  let setting: Setting | null = null;
  let [longestMs, longestTryMs] = [0, 0];
  const { violations, hash, orders, elapsedMs, hits, story } = await simulate({
    ...{ seed, settle, crashPoints: noCrashPoints, keepStory },
    ...(plan !== undefined && { plan }),
    ...(onlyFaults !== undefined && { onlyFaults }),
    subject: proofSubject({
      ...{ proof, seed, isPlain, release, inTurn, findings, tally, faultsFactor },
      onTryEnd(ms) {
        longestTryMs = Math.max(longestTryMs, ms);
      },
    }),
    onEnd(world) {
      ({ setting } = world);
      const { table } = world.shared;
      for (const record of recordsOf(table)) {
        longestMs = Math.max(longestMs, record.updatedAt - record.submittedAt);
        see(seen, record, table.order(record.orderId)?.details);
      }
      for (const name of proof.workflows.map(versionName)) noteSkipped(tally, name);
    },
  });
  const found = findings.map(({ kind, message }) => ({ rule: kind, message }));
  const kept = inOneProcess || hasLimits(proof) ? violations.filter(isNotOfSlots) : violations;
  const breakages = [...found, ...kept];
  return {
    ...{ seed, options, hash, breakages, orders, elapsedMs, hits, story, setting },
    ...{ longestMs, longestTryMs },
    ...seen,
  };
}

/** Setting and rates as a world draws them, of one process. */
function oneProcessPlan(seed: number): Plan {
  const chance = chanceOf(seed);
  const isQuiet = chance.hits(quietShare);
  const rates = isQuiet ? quietRates : drawnRates(chance, emphasis);
  let setting = drawnSetting(chance, isQuiet);
  while (!setting.oneProcess) setting = drawnSetting(chance, isQuiet);
  return { setting, rates, faultsMax: Number.POSITIVE_INFINITY };
}

const hasLimits = ({ workflows }: Proof): boolean =>
  workflows.some(({ steps }) => steps.some(({ limits = [] }) => limits.length > 0));

/**
 * That a free slot is used within a time is judged of calls that take seconds, and of limits without keys of their own: behind a slow
 * call, or a call that a limit of the proof admits once a minute, steps wait for longer.
 */
const isNotOfSlots = ({ rule }: Breakage): boolean => rule !== 'R22' && rule !== 'R23';

interface Seen {
  readonly tally: Tally;
  readonly samples: Map<string, Sample>;
  readonly failures: Map<string, string>;
}

function see(
  { tally, samples, failures }: Seen,
  record: ProcessRecord,
  details: JsonValue | undefined,
): void {
  noteOrder(tally, record);
  const of = definitionName(record);
  if (record.fault !== null && !failures.has(of)) failures.set(of, failureOf(record, record.fault));
  if (record.processState === 'Processed' && details !== undefined)
    samples.set(of, { details, outputs: outputsOf(record) });
}

const failureOf = ({ orderId, processState }: ProcessRecord, fault: OrderFault): string =>
  `${orderId} is ${processState === 'Error' ? 'in Error' : processState}: ${fault.step === null ? '' : `step ${fault.step}: `}${fault.message} (${fault.code})`;

function outputsOf({ steps }: ProcessRecord): Sample['outputs'] {
  return Object.fromEntries(
    steps.flatMap(({ name, progress }) =>
      progress.state === 'Completed' ? [[name, progress.output]] : [],
    ),
  );
}

/** Where the roles crash is measured by `npm run sim`. */
const noCrashPoints: CrashPoints = { here: () => [], mark() {}, struck: new Set() };
