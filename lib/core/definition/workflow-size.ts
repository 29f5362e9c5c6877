/**
 * The maximum output of each step, so that the largest order of a workflow fits its record, and the
 * largest input of each step fits its request.
 */

import type { ErrorCode } from '#core/model/error-codes.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { attemptsAllowed, type StepPolicy, undosFirstAllowed } from '#core/model/policy.ts';
import type { Failover, PoolMember } from './agent-pool.ts';

/** What determines the size of a step. */
export interface SizedStep {
  readonly name: StepName;
  readonly after: readonly StepName[];
  readonly policy: StepPolicy;
  readonly pool?: readonly PoolMember[];
  readonly failover?: Failover;
  /** Undefined: an equal share of the available bytes. */
  readonly outputBytesMax?: number | undefined;
}

/** Why a workflow is too large. `at`: the index of the step; null for the workflow as a whole. */
export type SizeProblem = {
  readonly at: number | null;
  readonly code: ErrorCode<'DefinitionError'>;
  readonly problem: string;
};

/** All attributes except steps and history. */
const headBytes = 8 * 1_024;
/** Heartbeats, restarts, outages, corrections: no policy limits them, and an order with more loses older entries of its history. */
const spareBytes = 32 * 1_024;
/** Two names of 40 characters, the policy, counts, instants. */
const stepBytes = 400;
/** The entries of a claim by a Scheduler with a long name, and of the timeout. */
const attemptBytes = 160;
/** The member of a pool in the entry of an attempt: the names of the step and of the agent. */
const memberBytes = 90;
/** The entry of a reply. */
const reportBytes = 80;
/** A request without its input. */
const envelopeBytes = 2 * 1_024;
/** The name of a step beside its output in an input. */
const nameBytes = 44;

/** The maximum output of each step, in their order; or why the largest order is too large. */
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

/** The record in which every step succeeded with its last attempt. */
function bytesWithoutOutputs(steps: readonly SizedStep[]): number {
  let bytes = headBytes + spareBytes;
  for (const step of steps) {
    const perAttempt = attemptBytes + (step.pool === undefined ? 0 : memberBytes);
    bytes += stepBytes + reportBytes + attemptsForward(step) * perAttempt;
  }
  return bytes;
}

/** The attempts while its order goes forward: of the undos, only those that come before another perform. */
const attemptsForward = ({ policy, failover }: SizedStep): number =>
  attemptsAllowed(policy) + (failover === 'undo-first' ? undosFirstAllowed(policy) : 0);

/** The largest input contains the details and the outputs of all predecessors, and must fit a request. */
function fitRequest(
  steps: readonly SizedStep[],
  before: readonly number[],
  bytes: number[],
): string | null {
  const unstated = before.filter((at) => steps[at]?.outputBytesMax === undefined);
  const stated = before.reduce((sum, at) => sum + nameBytes + (steps[at]?.outputBytesMax ?? 0), 0);
  const left = limits.requestBytesMax - limits.detailsBytesMax - envelopeBytes - stated;
  if (left < unstated.length * limits.outputBytesMin) {
    return `comes after steps with outputs of up to ${stated} bytes, but a request has room for ${limits.requestBytesMax - limits.detailsBytesMax - envelopeBytes} beside the details. State a smaller outputBytesMax for them`;
  }
  const share = Math.floor(left / Math.max(1, unstated.length));
  for (const at of unstated) bytes[at] = Math.min(bytes[at] ?? share, share);
  return null;
}

function tooLargeRecord(
  steps: readonly SizedStep[],
  stated: number,
  unstated: number,
): SizeProblem {
  const attempts = steps.reduce((sum, step) => sum + attemptsForward(step), 0);
  const sum = `${headBytes + spareBytes} bytes, ${steps.length} steps of ${stepBytes + reportBytes}, ${attempts} attempts of ${attemptBytes} and outputs of ${stated + unstated * limits.outputBytesMin}`;
  return {
    at: null,
    code: 'record-too-large',
    problem: `the record of its largest order is ${sum}, over the limit of ${limits.recordBytesToStart}. Allow fewer retries and coolDown.times, state a smaller outputBytesMax for steps, or split the workflow`,
  };
}
