/**
 * Recovery that the Supervisor requests. It needs no workflow definition: the policies in the record
 * decide. `clock-repair.ts` owns deadlines that a wrong clock wrote.
 */

import type { Interrupted } from '#core/model/event.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { actionOf, type StepRecord, type UnderWay, underWay } from '#core/model/record.ts';
import { repairDeadlines } from './clock-repair.ts';
import { type Draft, nudge, release, setStep, withoutAttempt } from './draft.ts';
import { dueAt, heldUntil } from './due.ts';
import { endLate } from './order-deadline.ts';
import { applyVerdicts, countFailure, type Verdict } from './rounds.ts';
import { waitsForGates } from './settle-holds.ts';

/** What a sweep did to an order: it withdrew attempts of steps, or it only nudged the order. */
export interface SweepResult {
  readonly steps: readonly StepName[];
  readonly nudges: 0 | 1;
  /** The order was late, and stopped or began its undo. */
  readonly late?: true;
}

/**
 * Counts a failure for every attempt past its complete-by and follows its policy. An unclaimed order
 * gets a nudge, and no failure is counted. An order that goes on after that, and is past its own deadline, is late.
 * Null when the order is not due.
 */
export function expired(draft: Draft): SweepResult | null {
  const found = recovered(draft);
  return endLate(draft) ? { steps: found?.steps ?? [], nudges: 0, late: true } : found;
}

function recovered(draft: Draft): SweepResult | null {
  const repaired = repairDeadlines(draft);
  if (repaired !== null) {
    releaseUnlessInError(draft, earliestClaim(draft));
    return { steps: repaired, nudges: 0 };
  }
  const found: StepName[] = [];
  const verdicts: Verdict[] = [];
  for (const [at, step] of draft.steps.entries()) {
    if (!underWay(step.progress) || step.progress.completeBy >= draft.nowMs) continue;
    found.push(step.name);
    verdicts.push(timeOut(draft, at, step, step.progress));
  }
  if (found.length === 0) return nudgeIfDue(draft) ? { steps: [], nudges: 1 } : null;
  applyVerdicts(draft, verdicts, earliestClaim(draft));
  return { steps: found, nudges: 0 };
}

/** Withdraws interrupted attempts without counting failures. Null when nothing was interrupted. */
export function interrupted(draft: Draft, event: Interrupted): SweepResult | null {
  const found: StepName[] = [];
  for (const [at, step] of draft.steps.entries()) {
    const { progress } = step;
    if (!underWay(progress)) continue;
    if (!isInterrupted(event, step, progress, draft.nowMs)) continue;
    found.push(step.name);
    setStep(draft, at, { progress: withoutAttempt(progress) });
  }
  const latest = draft.nowMs + limits.recoveryRampMaxMs;
  const notBefore = Math.max(draft.nowMs, Math.min(event.notBefore, latest));
  if (found.length > 0) {
    releaseUnlessInError(draft, Math.max(notBefore, earliestClaim(draft)));
    return { steps: found, nudges: 0 };
  }
  if (!isClaimable(draft, event)) return null;
  release(draft, notBefore);
  return { steps: [], nudges: 1 };
}

/** The gates of a former process are gone: an order that waited for them asks those of this one. */
function isClaimable(
  { base, lockState, notBefore, nowMs }: Draft,
  { reason }: Interrupted,
): boolean {
  if (lockState.processState !== 'Pending') return false;
  return notBefore <= nowMs || (reason === 'restart' && waitsForGates(base));
}

function isInterrupted(
  event: Interrupted,
  { name }: StepRecord,
  { completeBy }: UnderWay,
  nowMs: number,
): boolean {
  return event.reason === 'restart' || (event.steps.includes(name) && completeBy < nowMs);
}

/** Keeps the cool-down of a Pending order. The `notBefore` of a claimed order is past, also by a clock that was wrong. */
function earliestClaim({ lockState, notBefore, nowMs }: Draft): number {
  return lockState.processState === 'Pending' ? notBefore : nowMs;
}

function releaseUnlessInError(draft: Draft, notBefore: number): void {
  if (draft.lockState.processState !== 'Error') release(draft, notBefore);
}

function timeOut(draft: Draft, at: number, step: StepRecord, progress: UnderWay): Verdict {
  draft.failureCount += 1;
  setStep(draft, at, { progress: withoutAttempt(progress) });
  const action = actionOf(progress);
  // The order only waited for this perform to end; `failures` counts the attempts of its undo now.
  if (action === 'perform' && draft.direction === 'undo')
    return { kind: 'retry', notBefore: draft.nowMs };

  const failures = step.failures + 1;
  // An attempt may also fail at once: it is repeated until its deadline.
  const what = `timed out${failures === 1 ? '' : ` ${failures} times`}`;
  return countFailure(draft, at, step, { action, failures, what, effect: 'possible' });
}

function nudgeIfDue(draft: Draft): boolean {
  const due = dueAt(draft.base);
  if (due === null || due > draft.nowMs) return false;
  const isHeld =
    draft.mayHold && (heldUntil(draft.steps) ?? Number.POSITIVE_INFINITY) <= draft.nowMs;
  const { processState } = draft.lockState;
  if (processState !== 'Pending' && !(processState === 'Processing' && isHeld)) return false;
  nudge(draft);
  return true;
}
