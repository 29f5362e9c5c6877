/** Which steps of an order wait since a write, and which no more. */
import { type IdempotencyKey, idempotencyKey } from '#core/model/ids.ts';
import { nextAction, type ProcessRecord, type StepRecord } from '#core/model/record.ts';

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
    if (before === null) return [];
    const now = record.steps[at];
    const waitsOn =
      now?.progress.state === 'Held' &&
      now.agent === step.agent &&
      keyOf(record, now) === keyOf(before, step);
    return waitsOn ? [] : heldStep(before, step);
  });
  return { begun: record.steps.flatMap((step) => heldStep(record, step)), ended };
}

const nothing: HeldChanges = { begun: [], ended: [] };

function heldStep(record: ProcessRecord, step: StepRecord): readonly HeldStep[] {
  const { agent, progress } = step;
  if (progress.state !== 'Held') return [];
  return [{ agent, key: keyOf(record, step), since: progress.since }];
}

/** The idempotency key of the request that the held step waits to send. */
const keyOf = (record: ProcessRecord, step: StepRecord): IdempotencyKey =>
  idempotencyKey(record.orderId, step.name, nextAction(record, step), step.keyGeneration);
