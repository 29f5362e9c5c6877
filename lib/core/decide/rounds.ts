/**
 * Rounds of attempts: the effect of a failure by the policy of its step (R14). A round has `retries + 1` attempts; a cool-down
 * separates two rounds. Here `retries` is 1 and `coolDownTimes` is 2, and every attempt times out:
 *
 *     round    |    1    |               |    2    |               |    3    |
 *     attempts | #1   #2 | -coolDownMs-> | #3   #4 | -coolDownMs-> | #5   #6 | exhausted
 *     failures |  1    2 |               |  3    4 |               |  5    6 |
 *
 * An undo has a policy of its own. The cool-down after round k lasts `coolDownMs * coolDownFactor ** (k - 1)`, at most
 * `coolDownMaxMs` (lib/core/model/policy.ts).
 */

import type { Fault } from '#core/model/fault.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { Action } from '#core/model/ids.ts';
import { callPolicy, coolDownAfter } from '#core/model/policy.ts';
import type { OrderFault, StepRecord } from '#core/model/record.ts';
import { type Draft, park, release, setStep } from './draft.ts';
import { beginUndo } from './undo.ts';

/** The effect of one step on the order; the worst of several counts. */
export type Verdict =
  | { readonly kind: 'retry'; readonly notBefore: number }
  | { readonly kind: 'hold' | 'undo'; readonly fault: OrderFault };

/** The failures after the round in which a step with so many failures is: as many as it takes to end it. */
export function failuresAtEndOfRound({ policy, failures }: StepRecord, action: Action): number {
  const perRound = callPolicy(policy, action).retries + 1;
  return (Math.floor(failures / perRound) + 1) * perRound;
}

/**
 * Counts `failures` of the present action of the step, and follows its policy.
 *
 * @param failures all of them since the last resubmit, this one included
 * @param what says what failed so often: "timed out 3 times", "was held for 24 h"
 */
export function countFailure(
  draft: Draft,
  at: number,
  step: StepRecord,
  { action, failures, what, effect }: Failure,
): Verdict {
  const policy = callPolicy(step.policy, action);
  setStep(draft, at, { failures });
  const round = failures / (policy.retries + 1);
  if (!Number.isInteger(round)) return { kind: 'retry', notBefore: draft.nowMs };
  if (round <= policy.coolDownTimes) {
    return { kind: 'retry', notBefore: draft.nowMs + coolDownAfter(policy, round) };
  }
  if (action === 'undo') {
    return {
      kind: 'hold',
      fault: {
        code: 'undo-stuck' satisfies FaultCode,
        message: `Undo of step ${step.name} ${what}.`,
        effect: 'possible',
        step: step.name,
        action: 'undo',
      },
    };
  }
  const fault: Fault = {
    code: 'exhausted' satisfies FaultCode,
    message: `Step ${step.name} ${what}.`,
    effect,
  };
  setStep(draft, at, { progress: { state: 'Failed', fault } });
  return {
    kind: step.policy.onExhausted,
    fault: { ...fault, step: step.name, action: 'perform' },
  };
}

interface Failure {
  readonly action: Action;
  readonly failures: number;
  readonly what: string;
  /** Whether an attempt of the step may have had an effect. */
  readonly effect: Fault['effect'];
}

/** Stops the order, begins its undo, or releases it until the latest of the cool-downs. */
export function applyVerdicts(draft: Draft, verdicts: readonly Verdict[], notBefore: number): void {
  if (draft.lockState.processState === 'Error') return;
  const held = verdicts.find(({ kind }) => kind === 'hold');
  const undo = verdicts.find(({ kind }) => kind === 'undo');
  if (held?.kind === 'hold') park(draft, held.fault);
  else if (undo?.kind === 'undo') {
    beginUndo(draft, undo.fault);
    releaseUnlessStopped(draft);
  } else {
    const waits = verdicts.map((verdict) => (verdict.kind === 'retry' ? verdict.notBefore : 0));
    release(draft, Math.max(notBefore, ...waits));
  }
}

function releaseUnlessStopped(draft: Draft): void {
  if (draft.lockState.processState !== 'Error') release(draft, draft.nowMs);
}
