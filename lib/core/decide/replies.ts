/** Replies of agents. `decide` has checked that the reply is for the current attempt and in time. */

import { assertThat } from '#core/model/errors.ts';
import type {
  AgentEvent,
  Deferred,
  StepFailed,
  StepSucceeded,
  UndoFailed,
} from '#core/model/event.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { JsonValue } from '#core/model/json.ts';
import { callPolicy } from '#core/model/policy.ts';
import {
  actionOf,
  type OrderFault,
  type Running,
  type StepRecord,
  type UnderWay,
  type Undoing,
} from '#core/model/record.ts';
import { waitsUnder } from './choose-agent.ts';
import { continueOrder } from './claim.ts';
import { type Draft, park, release, setStep, withoutAttempt } from './draft.ts';
import { holdEndsAt, setHeld } from './hold-step.ts';
import { applyVerdicts } from './rounds.ts';
import { holdVerdict } from './settle-holds.ts';
import type { OrderContext } from './start-step.ts';
import { beginUndo } from './undo.ts';
import { startAnew } from './undo-first.ts';

/** The step is Completed. While a Scheduler holds the lock, steps that became ready start in the same write. */
export function stepSucceeded(
  draft: Draft,
  at: number,
  event: StepSucceeded,
  known: OrderContext | null,
): void {
  const output: JsonValue = event.output;
  setStep(draft, at, { progress: { state: 'Completed', output }, doubtUntil: null });
  continueIfProcessing(draft, known);
}

/** The step is Failed. Its policy says whether the order waits for an operator or is undone. */
export function stepFailed(
  draft: Draft,
  at: number,
  step: StepRecord,
  event: StepFailed,
  known: OrderContext | null,
): void {
  const { fault } = event;
  setStep(draft, at, {
    progress: { state: 'Failed', fault },
    doubtUntil: fault.effect === 'none' ? null : step.doubtUntil,
  });
  if (draft.lockState.processState === 'Error') return;
  if (draft.direction === 'forward') {
    const orderFault: OrderFault = { ...fault, step: step.name, action: 'perform' };
    if (step.policy.onFault === 'hold') park(draft, orderFault);
    else beginUndo(draft, orderFault);
    if (draft.lockState.processState === 'Pending') release(draft, draft.nowMs);
  }
  continueIfProcessing(draft, known);
}

/** The step is Undone; while its order goes forward, it starts anew. */
export function undoSucceeded(
  draft: Draft,
  at: number,
  { step, progress }: { step: StepRecord; progress: Undoing },
  known: OrderContext | null,
): void {
  if (draft.direction === 'forward') startAnew(draft, at, step);
  else {
    const { before } = progress;
    setStep(draft, at, { progress: { state: 'Undone', before }, doubtUntil: null });
  }
  continueIfProcessing(draft, known);
}

/** Parks the order: only an operator can help when a service refuses an undo. */
export function undoFailed(
  draft: Draft,
  at: number,
  step: StepRecord,
  progress: Undoing,
  event: UndoFailed,
): void {
  setStep(draft, at, { progress: progress.before });
  if (draft.lockState.processState === 'Error') return;
  park(draft, {
    code: 'undo-stuck' satisfies FaultCode,
    message: `Undo of step ${step.name} failed with ${event.fault.code}: ${event.fault.message}`,
    effect: 'possible',
    step: step.name,
    action: 'undo',
  });
}

/**
 * The least part of `completeWithin` by which a heartbeat moves complete-by. Agents send one per half of it, and one that is ignored
 * is not sent again: the difference is for heartbeats that take unequal time to arrive, and for clocks that differ.
 */
const leastMove = 1 / 4;

/**
 * Moves complete-by, at most to the end of the attempt. Returns false when it would move by less than {@link leastMove}
 * without reaching that end, which bounds the heartbeats in the history.
 */
export function heartbeat(draft: Draft, at: number, step: StepRecord, progress: UnderWay): boolean {
  const { completeWithinMs } = callPolicy(step.policy, actionOf(progress));
  const completeBy = Math.min(draft.nowMs + completeWithinMs, progress.endBy);
  const moved = completeBy - progress.completeBy;
  const isEnough = moved >= completeWithinMs * leastMove || completeBy === progress.endBy;
  if (moved <= 0 || !isEnough) return false;
  if (progress.state === 'Running') {
    const running: Running = { ...progress, completeBy };
    setStep(draft, at, { progress: running, doubtUntil: completeBy });
  } else {
    setStep(draft, at, { progress: { ...progress, completeBy } });
  }
  return true;
}

/**
 * Takes the attempt back without counting a failure, and holds the step. An effect remains possible. A hold that has lasted
 * as long as its policy allows counts as a failed round.
 */
export function deferred(
  draft: Draft,
  at: number,
  event: Deferred,
  { progress, known }: { progress: UnderWay; known: OrderContext | null },
): void {
  const { nowMs } = draft;
  setStep(draft, at, { progress: withoutAttempt(progress) });
  const step = draft.steps[at];
  assertThat(step !== undefined, `the order has a step number ${at}`);
  const { processState } = draft.lockState;
  if (processState === 'Error') return;
  if (progress.state === 'Running' && draft.direction === 'undo') {
    continueIfProcessing(draft, known);
    return;
  }
  const { gate, retryAfterMs } = event;
  const since = Math.min(progress.heldSince ?? nowMs, nowMs);
  if (nowMs >= holdEndsAt(step.policy, { gate, since })) {
    const verdict = holdVerdict(draft, at, step, { gate, since });
    applyVerdicts(draft, [verdict], processState === 'Pending' ? draft.notBefore : nowMs);
  } else if (processState === 'Processing') {
    // The longer it has been held, the less often it is asked again: each time costs a claim and a message.
    const asked = nowMs + Math.max(retryAfterMs, (nowMs - since) / 2);
    const definition = known?.definition.steps[at];
    if (definition?.pool !== undefined) {
      setStep(draft, at, { agent: waitsUnder(definition, step, actionOf(progress)) });
    }
    setHeld(draft, at, step, { gate, since, asked: Math.ceil(asked) });
  }
}

function continueIfProcessing(draft: Draft, known: OrderContext | null): void {
  if (draft.lockState.processState === 'Processing') continueOrder(draft, known);
}

/** Whether the step is in the state that this kind of reply refers to. */
export function answers(event: AgentEvent, progress: StepRecord['progress']): progress is UnderWay {
  switch (event.type) {
    case 'stepSucceeded':
    case 'stepFailed':
      return progress.state === 'Running';
    case 'undoSucceeded':
    case 'undoFailed':
      return progress.state === 'Undoing';
    case 'heartbeat':
    case 'deferred':
      return progress.state === 'Running' || progress.state === 'Undoing';
  }
}
