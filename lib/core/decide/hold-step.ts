/**
 * Holding: a ready step whose gate grants no call waits without an attempt. A hold counts no failure, attempt or claim,
 * and every hold ends (R23).
 */

import { assertThat } from '#core/model/errors.ts';
import type { HoldGrant } from '#core/model/grant.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/policy.ts';
import { type StepProgress, type StepRecord, type Undoable, unheld } from '#core/model/record.ts';
import { type Draft, setStep } from './draft.ts';

/** `since`: from the history, where several holds in a row are one entry. */
type Hold = HoldGrant & { readonly since?: number };

/** Holds the step until its gate is asked again. */
export function holdStep(
  draft: Draft,
  at: number,
  step: StepRecord,
  { gate, until: asked, since: noted }: Hold,
): void {
  const { progress } = step;
  const { nowMs } = draft;
  const before = undoable(step.name, unheld(progress));
  const since = noted ?? (progress.state === 'Held' ? Math.min(progress.since, nowMs) : nowMs);
  // A gate is asked again at the latest after `holdLookMaxMs`, and when the hold ends.
  const latest = Math.min(holdEndsAt(step.policy, since), nowMs + limits.holdLookMaxMs);
  const until = Math.max(nowMs + 1, Math.min(asked, latest));
  draft.grants.push({ step: step.name, kind: 'hold', gate, until, since });
  setStep(draft, at, { progress: { state: 'Held', gate, since, until, before } });
}

/** When a hold that began at `since` counts as a failed round. */
export function holdEndsAt({ holdMaxMs = limits.holdMaxMs }: StepPolicy, since: number): number {
  return since + holdMaxMs;
}

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
