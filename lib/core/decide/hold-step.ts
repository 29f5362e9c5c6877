/**
 * Holding: a ready step whose gate lets no call through waits without an attempt. A hold counts no failure, attempt or claim,
 * and every hold ends (R23).
 */

import { assertThat } from '#core/model/errors.ts';
import type { Gate, Hold } from '#core/model/hold.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/policy.ts';
import {
  type Held,
  type StepProgress,
  type StepRecord,
  type Undoable,
  unheld,
} from '#core/model/record.ts';
import { type Draft, release, setStep } from './draft.ts';

/** `since`: from the history, where several holds in a row are one entry. */
export type NotedHold = Hold & { readonly since?: number };

/**
 * Leaves the step held as it is when its gate says the same again, before it had to be asked; returns whether it does. The
 * history need not say so of each step: where many wait for one limit, that would fill the record. A hold that the history notes
 * is made again as it was noted.
 */
export function stayHeld(draft: Draft, { name, progress }: StepRecord, hold: NotedHold): boolean {
  if (progress.state !== 'Held' || hold.since !== undefined) return false;
  const { gate, since, until, queue } = progress;
  if (gate !== hold.gate || queue !== hold.queue) return false;
  const leftMs = until - draft.nowMs;
  // A clock that went back, or was wrong before, wrote a hold that is begun anew.
  if (leftMs <= 0 || leftMs > limits.holdLookMaxMs || since > draft.nowMs) return false;
  if (hold.until < until) return false;
  draft.holds.push({ step: name, gate, until, since, ...(queue !== undefined && { queue }) });
  draft.stillHeld.push(name);
  return true;
}

/** Holds the step until its gate is asked again. */
export function holdStep(
  draft: Draft,
  at: number,
  step: StepRecord,
  { gate, until: asked, since: noted, queue }: NotedHold,
): void {
  const { progress } = step;
  const { nowMs } = draft;
  const goesOn = progress.state === 'Held' && isForTurn(progress) === isForTurn({ gate });
  const since = noted ?? (goesOn ? heldSince(progress, nowMs) : nowMs);
  const inQueue = queue !== undefined && { queue };
  const until = setHeld(draft, at, step, { gate, since, asked, ...inQueue });
  draft.holds.push({ step: step.name, gate, until, since, ...inQueue });
}

/** Marks the step as held, and gives until when. A gate is asked again after `holdLookMaxMs`, or when the hold ends. */
export function setHeld(
  draft: Draft,
  at: number,
  { name, policy, progress }: StepRecord,
  { asked, ...how }: { gate: Gate; since: number; queue?: string; asked: number },
): number {
  const { nowMs } = draft;
  const latest = Math.min(holdEndsAt(policy, how), nowMs + limits.holdLookMaxMs);
  const until = Math.max(nowMs + 1, Math.min(asked, latest));
  const before = undoable(name, unheld(progress));
  setStep(draft, at, { progress: { state: 'Held', ...how, until, before } });
  draft.mayHold = true;
  return until;
}

/** The step waits for its gate no more, and is as it was before it was held. */
export function holdNoMore(draft: Draft, at: number, { progress }: StepRecord): void {
  if (progress.state === 'Held') setStep(draft, at, { progress: progress.before });
}

/**
 * Releases the lock until a doubt has ended, or a gate is asked again: a held step waits for its gate, and not for the doubt
 * about another one. `settleHolds` releases an order with held steps.
 */
export function releaseInDoubt(draft: Draft, doubtEndsAt: number): void {
  let isHeld = false;
  for (const [at, { progress }] of draft.steps.entries()) {
    if (progress.state !== 'Held') continue;
    isHeld = true;
    if (progress.until > doubtEndsAt) {
      setStep(draft, at, { progress: { ...progress, until: doubtEndsAt } });
    }
  }
  if (!isHeld) release(draft, doubtEndsAt);
}

/**
 * Since when the step has been held. A gate is asked again when the hold says so. If that came late by more than
 * `holdLateMaxMs`, Reeve was stopped, its platform had an outage (R20), or its clock was corrected: that time is not a part of the hold.
 */
export function heldSince({ since, until }: Pick<Held, 'since' | 'until'>, nowMs: number): number {
  const lateMs = nowMs - until;
  return Math.min(lateMs > limits.holdLateMaxMs ? since + lateMs : since, nowMs);
}

/**
 * When a hold counts as a failed round. The policy of a step says how long it waits for its agent, not how long other orders
 * take.
 */
export function holdEndsAt(
  { holdMaxMs = limits.holdMaxMs }: StepPolicy,
  { gate, since }: Pick<Held, 'gate' | 'since'>,
): number {
  return since + (isForTurn({ gate }) ? limits.turnMaxMs : holdMaxMs);
}

/** Whether the step waits for earlier orders, and not for its agent: the two are holds of their own. */
export const isForTurn = ({ gate }: Pick<Held, 'gate'>): boolean => gate === 'turn';

/** A progress from which an undo can begin. */
export function undoable(name: StepName, progress: StepProgress): Undoable {
  assertThat(
    progress.state === 'NotStarted' ||
      progress.state === 'Completed' ||
      progress.state === 'Failed',
    `step ${name} is ${progress.state}, which nothing undoes`,
  );
  return progress;
}
