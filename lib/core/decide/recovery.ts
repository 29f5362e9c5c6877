/**
 * What the Supervisor causes. It knows no business: the policy numbers in the record decide, and no
 * definition is needed.
 */

import type { Interrupted } from '#core/model/event.ts';
import type { Fault } from '#core/model/fault.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type OrderFault, type StepRecord, type UnderWay, underWay } from '#core/model/record.ts';
import { type Draft, nudge, park, release, setStep } from './draft.ts';
import { clockToleranceMs, dueAt, dueHorizonMs } from './due.ts';
import { turnBack } from './undo.ts';

/** What a sweep found: the steps it took back, or nothing but an order that nobody had claimed. */
export interface Found {
  readonly steps: readonly StepName[];
  readonly nudges: 0 | 1;
}

/** What becomes of the order because one attempt timed out; the worst of several counts. */
type Verdict =
  | { readonly kind: 'retry'; readonly notBefore: number }
  | { readonly kind: 'hold' | 'turnBack'; readonly fault: OrderFault };

/**
 * Counts a failure for every attempt past its complete-by and follows its policy; an order that only
 * nobody picked up is nudged, and no failure counted. Null when the order is not due.
 */
export function expired(draft: Draft): Found | null {
  const repaired = repairDeadlines(draft);
  if (repaired !== null) {
    reopen(draft, waitsUntil(draft));
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
  settle(draft, verdicts);
  return { steps: found, nudges: 0 };
}

/** Takes back what was interrupted, counting nothing; null when there is nothing to take back. */
export function interrupted(draft: Draft, event: Interrupted): Found | null {
  const found: StepName[] = [];
  for (const [at, step] of draft.steps.entries()) {
    const { progress } = step;
    if (!underWay(progress)) continue;
    if (!interrupts(event, step, progress, draft.nowMs)) continue;
    found.push(step.name);
    setStep(draft, at, { progress: withoutAttempt(progress) });
  }
  const latest = draft.nowMs + limits.recoveryRampMaxMs;
  const notBefore = Math.max(draft.nowMs, Math.min(event.notBefore, latest));
  if (found.length > 0) {
    reopen(draft, Math.max(notBefore, waitsUntil(draft)));
    return { steps: found, nudges: 0 };
  }
  if (draft.lockState.processState !== 'Pending' || draft.notBefore > draft.nowMs) return null;
  release(draft, notBefore);
  return { steps: [], nudges: 1 };
}

function interrupts(
  event: Interrupted,
  { name }: StepRecord,
  { completeBy }: UnderWay,
  nowMs: number,
): boolean {
  return event.reason === 'restart' || (event.steps.includes(name) && completeBy < nowMs);
}

/** The step as it was before the call, from which the next attempt starts. */
function withoutAttempt(progress: UnderWay): StepRecord['progress'] {
  return progress.state === 'Running' ? { state: 'NotStarted' } : progress.before;
}

/** A cool-down lasts; an order that was claimed waits for nothing, whatever clock wrote its instant. */
function waitsUntil({ lockState, notBefore, nowMs }: Draft): number {
  return lockState.processState === 'Pending' ? notBefore : nowMs;
}

function reopen(draft: Draft, notBefore: number): void {
  if (draft.lockState.processState !== 'Error') release(draft, notBefore);
}

function timeOut(draft: Draft, at: number, step: StepRecord, progress: UnderWay): Verdict {
  draft.failureCount += 1;
  setStep(draft, at, { progress: withoutAttempt(progress) });
  const isPerform = progress.state === 'Running';
  // A perform still out when the order turned back is only waited for: its undo has its own tries.
  if (isPerform && draft.direction === 'undo') return { kind: 'retry', notBefore: draft.nowMs };

  const { policy } = step;
  const failures = step.failures + 1;
  setStep(draft, at, { failures });
  const perRound = policy.retries + 1;
  if (failures % perRound !== 0) return { kind: 'retry', notBefore: draft.nowMs };
  if (failures / perRound <= policy.coolDownTimes) {
    return { kind: 'retry', notBefore: draft.nowMs + policy.coolDownMs };
  }
  if (!isPerform) {
    return {
      kind: 'hold',
      fault: {
        code: 'undo-stuck',
        message: `Undo of step ${step.name} timed out ${failures} times.`,
        effect: 'possible',
        step: step.name,
        action: 'undo',
      },
    };
  }
  const fault: Fault = {
    code: 'exhausted',
    message: `Step ${step.name} timed out ${failures} times.`,
    effect: 'possible',
  };
  setStep(draft, at, { progress: { state: 'Failed', fault } });
  return {
    kind: policy.onExhausted === 'hold' ? 'hold' : 'turnBack',
    fault: { ...fault, step: step.name, action: 'perform' },
  };
}

function settle(draft: Draft, verdicts: readonly Verdict[]): void {
  if (draft.lockState.processState === 'Error') return;
  const held = verdicts.find(({ kind }) => kind === 'hold');
  const turned = verdicts.find(({ kind }) => kind === 'turnBack');
  if (held?.kind === 'hold') {
    park(draft, held.fault);
    return;
  }
  if (turned?.kind === 'turnBack') {
    turnBack(draft, turned.fault);
    reopen(draft, draft.nowMs);
    return;
  }
  const waits = verdicts.map((verdict) => (verdict.kind === 'retry' ? verdict.notBefore : 0));
  release(draft, Math.max(waitsUntil(draft), ...waits));
}

function nudgeIfDue(draft: Draft): boolean {
  const due = dueAt(draft.base);
  if (draft.lockState.processState !== 'Pending' || due === null || due > draft.nowMs) return false;
  nudge(draft);
  return true;
}

/** Instants that no right clock wrote come down to the farthest allowed, so that they do come (R14). */
function repairDeadlines(draft: Draft): StepName[] | null {
  const horizon = draft.nowMs + dueHorizonMs;
  const repaired: StepName[] = [];
  for (const [at, step] of draft.steps.entries()) {
    const { progress } = step;
    if (!underWay(progress) || progress.completeBy <= farthest(draft, step)) continue;
    setStep(draft, at, { progress: withoutAttempt(progress) });
    repaired.push(step.name);
  }
  const due = dueAt(draft.base);
  if (due === null) return null;
  if (!repairDoubts(draft) && repaired.length === 0 && due <= horizon) return null;
  if (draft.notBefore > horizon) draft.notBefore = draft.nowMs;
  return repaired;
}

/** Whether there was a doubt that no right clock wrote: its undo would wait for as long. */
function repairDoubts(draft: Draft): boolean {
  let isRepaired = false;
  for (const [at, step] of draft.steps.entries()) {
    if (step.doubtUntil === null || step.doubtUntil <= farthest(draft, step)) continue;
    setStep(draft, at, { doubtUntil: draft.nowMs + step.policy.completeWithinMs });
    isRepaired = true;
  }
  return isRepaired;
}

/** The latest complete-by that a clock within the tolerance may have written until now. */
function farthest(draft: Draft, { policy }: Pick<StepRecord, 'policy'>): number {
  return draft.nowMs + policy.completeWithinMs + clockToleranceMs;
}
