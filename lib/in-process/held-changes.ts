/** Which steps of an order wait since a write, and which no more. */
import { idempotencyKey } from '#core/model/ids.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';

/** A step that waits. */
export interface HeldStep {
  /** The name under which it waits. */
  readonly agent: string;
  /** The idempotency key of the request that it waits to send. */
  readonly key: string;
  /** Since when it has been held, ms since the epoch. */
  readonly since: number;
}

/** `begun`: also the steps that waited before. */
export interface HeldChanges {
  readonly begun: readonly HeldStep[];
  readonly ended: readonly HeldStep[];
}

/** @param before the revision that `record` replaced; null for a new order */
export function heldChanges(record: ProcessRecord, before: ProcessRecord | null): HeldChanges {
  if (record.isHeld !== true && before?.isHeld !== true) return nothing;
  const ended = (before?.steps ?? []).flatMap((step, at) => {
    const after = record.steps[at];
    const isSame =
      after?.progress.state === 'Held' &&
      after.agent === step.agent &&
      record.direction === before?.direction;
    return before === null || isSame ? [] : heldStep(before, step);
  });
  return { begun: record.steps.flatMap((step) => heldStep(record, step)), ended };
}

const nothing: HeldChanges = { begun: [], ended: [] };

function heldStep(
  { orderId, direction }: ProcessRecord,
  { name, agent, keyGeneration, progress }: StepRecord,
): readonly HeldStep[] {
  if (progress.state !== 'Held') return [];
  const action = direction === 'undo' ? 'undo' : 'perform';
  const key = idempotencyKey(orderId, name, action, keyGeneration);
  return [{ agent, key, since: progress.since }];
}
