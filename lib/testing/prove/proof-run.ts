/** One simulated world of a proof. */
import type { RuleName } from '#checkers/violation.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { OrderFault, ProcessRecord } from '#core/model/record.ts';
import type { CrashPoints } from '#sim/faults/crash-points.ts';
import type { FaultName } from '#sim/faults/fault-rates.ts';
import { recordsOf } from '#sim/ports/sim-table.ts';
import type { Setting } from '#sim/world/setting.ts';
import { type Plan, simulate } from '#sim/world/simulate.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { Proof } from './proof.ts';
import { proofSubject } from './proof-subject.ts';
import { settle } from './settle.ts';

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
  /** An order of each workflow that was processed. */
  readonly samples: ReadonlyMap<string, Sample>;
  /** Why the first order of each workflow failed that did. */
  readonly failures: ReadonlyMap<string, string>;
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
  readonly plan?: Plan;
  /** See `SimulationOptions`. */
  readonly onlyFaults?: ReadonlySet<number>;
}

export async function proofRun(
  proof: Proof,
  { seed, faultsFactor, keepStory = false, isPlain = false, plan, onlyFaults }: ProofRunOptions,
): Promise<ProofRun> {
  const findings: Finding[] = [];
  let setting: Setting | null = null;
  let longestMs = 0;
  const samples = new Map<string, Sample>();
  const failures = new Map<string, string>();
  const { stackTraceLimit } = Error;
  if (keepStory) Error.stackTraceLimit = framesKept;
  const { violations, hash, orders, elapsedMs, hits, story } = await simulate({
    ...{ seed, settle, crashPoints: noCrashPoints, keepStory },
    ...(plan !== undefined && { plan }),
    ...(onlyFaults !== undefined && { onlyFaults }),
    subject: proofSubject({ proof, seed, isPlain, findings, faultsFactor }),
    onEnd(world) {
      ({ setting } = world);
      const { table } = world.shared;
      for (const record of recordsOf(table)) {
        const { workflow, submittedAt, updatedAt, processState, orderId } = record;
        longestMs = Math.max(longestMs, updatedAt - submittedAt);
        if (record.fault !== null && !failures.has(workflow))
          failures.set(workflow, failureOf(record, record.fault));
        const details = table.order(orderId)?.details;
        if (processState === 'Processed' && details !== undefined)
          samples.set(workflow, { details, outputs: outputsOf(record) });
      }
    },
  });
  Error.stackTraceLimit = stackTraceLimit;
  const found = findings.map(({ kind, message }) => ({ rule: kind, message }));
  const breakages = [...found, ...violations];
  return {
    ...{ seed, hash, breakages, orders, elapsedMs, hits, story, setting, longestMs },
    samples,
    failures,
  };
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
