/**
 * Recovery that the Supervisor requests. It needs no workflow definition: the policies in the record
 * decide. `clock-repair.ts` owns deadlines that a wrong clock wrote.
 */

import type { Interrupted } from '#core/model/event.ts';
import type { Fault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type OrderFault, type StepRecord, type UnderWay, underWay } from '#core/model/record.ts';
import { repairDeadlines } from './clock-repair.ts';
import { type Draft, nudge, park, release, setStep, withoutAttempt } from './draft.ts';
import { dueAt } from './due.ts';
import { beginUndo } from './undo.ts';

/** What a sweep did to an order: it withdrew attempts of steps, or it only nudged the order. */
export interface SweepResult {
  readonly steps: readonly StepName[];
  readonly nudges: 0 | 1;
}

/** What one timeout means for the order; `hold` takes precedence over `undo`, and `undo` over `retry`. */
type Verdict =
  | { readonly kind: 'retry'; readonly notBefore: number }
  | { readonly kind: 'hold' | 'undo'; readonly fault: OrderFault };

/**
 * Counts a failure for every attempt past its complete-by and follows its policy. An unclaimed order
 * gets a nudge, and no failure is counted. Null when the order is not due.
 */
export function expired(draft: Draft): SweepResult | null {
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
  applyVerdicts(draft, verdicts);
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
  if (draft.lockState.processState !== 'Pending' || draft.notBefore > draft.nowMs) return null;
  release(draft, notBefore);
  return { steps: [], nudges: 1 };
}

function isInterrupted(
  event: Interrupted,
  { name }: StepRecord,
  { completeBy }: UnderWay,
  nowMs: number,
): boolean {
  return event.reason === 'restart' || (event.steps.includes(name) && completeBy < nowMs);
}

/** Keeps the cool-down of a Pending order. The `notBefore` of a claimed order is past, whatever its clock said. */
function earliestClaim({ lockState, notBefore, nowMs }: Draft): number {
  return lockState.processState === 'Pending' ? notBefore : nowMs;
}

function releaseUnlessInError(draft: Draft, notBefore: number): void {
  if (draft.lockState.processState !== 'Error') release(draft, notBefore);
}

/**
 * A round has `retries + 1` attempts; a cool-down separates two rounds. Here `retries` is 1 and
 * `coolDownTimes` is 2, and every attempt times out:
 *
 *     round    |    1    |               |    2    |               |    3    |
 *     attempts | #1   #2 | -coolDownMs-> | #3   #4 | -coolDownMs-> | #5   #6 | exhausted
 *     failures |  1    2 |               |  3    4 |               |  5    6 |
 */
function timeOut(draft: Draft, at: number, step: StepRecord, progress: UnderWay): Verdict {
  draft.failureCount += 1;
  setStep(draft, at, { progress: withoutAttempt(progress) });
  const isPerform = progress.state === 'Running';
  // The order only waited for this perform to end; `failures` counts the attempts of its undo now.
  if (isPerform && draft.direction === 'undo') return { kind: 'retry', notBefore: draft.nowMs };

  const { policy } = step;
  const failures = step.failures + 1;
  setStep(draft, at, { failures });
  const attemptsPerRound = policy.retries + 1;
  if (failures % attemptsPerRound !== 0) return { kind: 'retry', notBefore: draft.nowMs };
  if (failures / attemptsPerRound <= policy.coolDownTimes) {
    return { kind: 'retry', notBefore: draft.nowMs + policy.coolDownMs };
  }
  if (!isPerform) {
    return {
      kind: 'hold',
      fault: {
        code: 'undo-stuck' satisfies FaultCode,
        message: `Undo of step ${step.name} timed out ${failures} times.`,
        effect: 'possible',
        step: step.name,
        action: 'undo',
      },
    };
  }
  const fault: Fault = {
    code: 'exhausted' satisfies FaultCode,
    message: `Step ${step.name} timed out ${failures} times.`,
    effect: 'possible',
  };
  setStep(draft, at, { progress: { state: 'Failed', fault } });
  return {
    kind: policy.onExhausted,
    fault: { ...fault, step: step.name, action: 'perform' },
  };
}

function applyVerdicts(draft: Draft, verdicts: readonly Verdict[]): void {
  if (draft.lockState.processState === 'Error') return;
  const hold = verdicts.find(({ kind }) => kind === 'hold');
  const undo = verdicts.find(({ kind }) => kind === 'undo');
  if (hold?.kind === 'hold') {
    park(draft, hold.fault);
    return;
  }
  if (undo?.kind === 'undo') {
    beginUndo(draft, undo.fault);
    releaseUnlessInError(draft, draft.nowMs);
    return;
  }
  const waits = verdicts.map((verdict) => (verdict.kind === 'retry' ? verdict.notBefore : 0));
  release(draft, Math.max(earliestClaim(draft), ...waits));
}

function nudgeIfDue(draft: Draft): boolean {
  const due = dueAt(draft.base);
  if (draft.lockState.processState !== 'Pending' || due === null || due > draft.nowMs) return false;
  nudge(draft);
  return true;
}
