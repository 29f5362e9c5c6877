/**
 * What a workflow may put into the record of an order, and into the request of a step: so that the largest
 * order it allows can be stored and asked for, it says how much each step may hand on.
 */

import type { ErrorCode } from '#core/model/error-codes.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/record.ts';

export interface SizedStep {
  readonly name: StepName;
  readonly after: readonly StepName[];
  readonly policy: StepPolicy;
  /** Undefined: what there is room for. */
  readonly outputBytesMax?: number | undefined;
}

/** Step null: the workflow as a whole. */
export type SizeProblem = {
  readonly at: number | null;
  readonly code: ErrorCode<'DefinitionError'>;
  readonly problem: string;
};

/** All but steps and history: ids, names, numbers, the fault that stopped it. */
const headBytes = 8 * 1_024;
/** Heartbeats, restarts, outages, corrections: what no policy bounds is parked when there is more. */
const spareBytes = 32 * 1_024;
/** Two names of 40 characters, the policy, counts, instants. */
const stepBytes = 400;
/** A claim by a Scheduler with a long name, and the entry of the timeout. */
const attemptBytes = 160;
/** The entry of a report. */
const reportBytes = 80;
/** A request without its input. */
const envelopeBytes = 2 * 1_024;
/** A step's name before its output in an input. */
const nameBytes = 44;

/** How much each step may hand on, in their order; or why the largest order would not fit. */
export function outputAllowances(
  steps: readonly SizedStep[],
): { readonly bytes: readonly number[] } | SizeProblem {
  const stated = steps.reduce((sum, step) => sum + (step.outputBytesMax ?? 0), 0);
  const unstated = steps.filter(({ outputBytesMax }) => outputBytesMax === undefined).length;
  const left = limits.recordBytesToStart - bytesWithoutOutputs(steps) - stated;
  if (left < unstated * limits.outputBytesMin) return tooLargeRecord(steps, stated, unstated);
  const share = Math.min(limits.outputBytesMax, Math.floor(left / Math.max(1, unstated)));
  const bytes = steps.map((step) => step.outputBytesMax ?? share);
  const index = new Map(steps.map(({ name }, at) => [name, at]));
  for (const [at, step] of steps.entries()) {
    const before = [...new Set(step.after)].map((name) => index.get(name) ?? at);
    const problem = fitRequest(steps, before, bytes);
    if (problem !== null) return { at, code: 'request-too-large', problem };
  }
  return { bytes };
}

/** Every step done, each after all its attempts but the last have timed out. */
function bytesWithoutOutputs(steps: readonly SizedStep[]): number {
  let bytes = headBytes + spareBytes;
  for (const { policy } of steps) {
    bytes += stepBytes + reportBytes + attemptsOf(policy) * attemptBytes;
  }
  return bytes;
}

const attemptsOf = ({ retries, coolDownTimes }: StepPolicy) => (retries + 1) * (coolDownTimes + 1);

/** An input may hold the details and all that its step may see: that must be a message. */
function fitRequest(
  steps: readonly SizedStep[],
  before: readonly number[],
  bytes: number[],
): string | null {
  const free = before.filter((at) => steps[at]?.outputBytesMax === undefined);
  const stated = before.reduce((sum, at) => sum + nameBytes + (steps[at]?.outputBytesMax ?? 0), 0);
  const left = limits.requestBytesMax - limits.detailsBytesMax - envelopeBytes - stated;
  if (left < free.length * limits.outputBytesMin) {
    return `comes after steps that may hand on ${stated} bytes, where ${limits.requestBytesMax - limits.detailsBytesMax - envelopeBytes} fit a request beside the details. State a smaller outputBytesMax for them`;
  }
  const share = Math.floor(left / Math.max(1, free.length));
  for (const at of free) bytes[at] = Math.min(bytes[at] ?? share, share);
  return null;
}

function tooLargeRecord(
  steps: readonly SizedStep[],
  stated: number,
  unstated: number,
): SizeProblem {
  const attempts = steps.reduce((sum, { policy }) => sum + attemptsOf(policy), 0);
  const sum = `${headBytes + spareBytes} bytes, ${steps.length} steps of ${stepBytes + reportBytes}, ${attempts} attempts of ${attemptBytes} and outputs of ${stated + unstated * limits.outputBytesMin}`;
  return {
    at: null,
    code: 'record-too-large',
    problem: `the record of its largest order is ${sum}, over the ${limits.recordBytesToStart} that it may have. Allow fewer retries and coolDown.times, state a smaller outputBytesMax for steps, or split the workflow`,
  };
}
