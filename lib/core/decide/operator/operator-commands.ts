/** What operators ask for. Resubmit and cancel are the only transitions out of Error (R9). */

import type { Cancel, Reprioritise } from '#core/model/event.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type Draft, nudgeInTime, release, setStep } from '../draft.ts';
import { waitsForGates } from '../settle-holds.ts';
import { beginUndo, inDoubt } from '../undo.ts';
import { undoFirstResubmitted } from '../undo-first.ts';

/**
 * Error becomes Pending, and failed steps can be tried again, with their failure counts reset. A step
 * whose fault excludes any effect gets a new idempotency key, because services replay the refusal of the
 * old one (R8). A deadline that has passed ends: the operator has decided to go on.
 */
export function resubmit(draft: Draft): void {
  for (const [at, step] of draft.steps.entries()) {
    const { progress } = step;
    setStep(draft, at, { failures: 0, ...undoFirstResubmitted(step) });
    if (progress.state !== 'Failed' || draft.direction === 'undo') continue;
    const renewed = progress.fault.effect === 'none' && !inDoubt(step);
    setStep(draft, at, {
      progress: { state: 'NotStarted' },
      keyGeneration: step.keyGeneration + (renewed ? 1 : 0),
    });
  }
  // By the clock that stopped the order it has passed, also where this one is behind.
  const isLate = draft.fault?.code === ('late' satisfies FaultCode);
  if (draft.direction === 'forward') draft.fault = null;
  if (draft.deadline !== undefined && (isLate || draft.deadline.lateAt <= draft.nowMs)) {
    draft.deadline = undefined;
  }
  release(draft, draft.nowMs);
}

/** Why a resubmit changes nothing. */
export type ResubmitRefusal = 'not-in-error';
/** Why the details of an order cannot be corrected. */
export type CorrectionRefusal = ResubmitRefusal | 'already-undoing';

/** Why the order cannot be resubmitted; null when it can. */
export function resubmitRefusal({ processState }: ProcessRecord): ResubmitRefusal | null {
  return processState === 'Error' ? null : 'not-in-error';
}

/** Why the order's details cannot be corrected; null when they can. */
export function correctionRefusal(record: ProcessRecord): CorrectionRefusal | null {
  return resubmitRefusal(record) ?? (record.direction === 'undo' ? 'already-undoing' : null);
}

/** Why a cancel changes nothing. */
export type CancelRefusal = 'ended' | 'already-undoing' | 'irreversible';

/** Why the order cannot be cancelled; null when it can. */
export function cancelRefusal(draft: Draft): CancelRefusal | null {
  const { processState } = draft.lockState;
  if (processState === 'Processed' || processState === 'Undone') return 'ended';
  if (draft.direction === 'undo') return 'already-undoing';
  const isIrreversible = draft.steps.some(
    (step) => step.policy.irreversible && (step.progress.state === 'Completed' || inDoubt(step)),
  );
  return isIrreversible ? 'irreversible' : null;
}

/** No step starts any more. Calls in flight end or expire; then every effect is undone. */
export function cancel(draft: Draft, event: Cancel): void {
  beginUndo(draft, {
    code: 'cancelled' satisfies FaultCode,
    message: `Cancelled by ${event.by}.`,
    effect: 'none',
    step: null,
    action: null,
  });
  if (draft.lockState.processState !== 'Processing') release(draft, draft.nowMs);
}

/** Why the priority of an order cannot change. */
export type ReprioritiseRefusal = 'ended';

/** Why the order cannot get another priority; null when it can. */
export function reprioritiseRefusal({ processState }: ProcessRecord): ReprioritiseRefusal | null {
  return processState === 'Processed' || processState === 'Undone' ? 'ended' : null;
}

/**
 * Everything that is sent from now on has the new priority. Calls in flight continue, and what waits does so as long as
 * before; but the nudge that ends the wait is sent again, in the new class. A gate nudges by the record.
 */
export function reprioritise(draft: Draft, { priority }: Reprioritise): void {
  draft.priority = priority;
  const isLeftToGates = waitsForGates(draft.base) && draft.notBefore > draft.nowMs;
  if (draft.lockState.processState === 'Pending' && !isLeftToGates) nudgeInTime(draft);
}
