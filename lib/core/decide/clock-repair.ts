/** Repairs deadlines that a wrong clock wrote: left alone, an order would wait for years (R14). */

import type { Action, StepName } from '#core/model/ids.ts';
import { callPolicy } from '#core/model/policy.ts';
import { actionOf, type StepRecord, underWay } from '#core/model/record.ts';
import { type Draft, setStep, withoutAttempt } from './draft.ts';
import { clockToleranceMs, dueAt, dueHorizonMs } from './due.ts';

/**
 * Withdraws attempts, and shortens doubts and waits, whose end lies farther ahead than a clock within the
 * tolerance can have written. Returns the steps of the withdrawn attempts, null when nothing was wrong.
 */
export function repairDeadlines(draft: Draft): StepName[] | null {
  const horizon = draft.nowMs + dueHorizonMs;
  const repaired: StepName[] = [];
  for (const [at, step] of draft.steps.entries()) {
    const { progress } = step;
    if (!underWay(progress)) continue;
    if (progress.completeBy <= latestCompleteBy(draft, step, actionOf(progress))) continue;
    setStep(draft, at, { progress: withoutAttempt(progress) });
    repaired.push(step.name);
  }
  const due = dueAt(draft.base);
  if (due === null) return null;
  if (!repairDoubts(draft) && repaired.length === 0 && due <= horizon) return null;
  if (draft.notBefore > horizon) draft.notBefore = draft.nowMs;
  return repaired;
}

/** Whether a doubt was wrong; the undo of its step would wait until then. */
function repairDoubts(draft: Draft): boolean {
  let isRepaired = false;
  for (const [at, step] of draft.steps.entries()) {
    const { doubtUntil } = step;
    if (doubtUntil === null || doubtUntil <= latestCompleteBy(draft, step, 'perform')) continue;
    setStep(draft, at, { doubtUntil: draft.nowMs + step.policy.completeWithinMs });
    isRepaired = true;
  }
  return isRepaired;
}

/** The latest complete-by that a clock within the tolerance can have written until now. */
function latestCompleteBy(draft: Draft, { policy }: StepRecord, action: Action): number {
  return draft.nowMs + callPolicy(policy, action).completeWithinMs + clockToleranceMs;
}
