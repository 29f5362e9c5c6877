/** Derived instants: when the Supervisor must inspect an order again (R16). */
import { limits } from '#core/model/limits.ts';
import {
  type OrderDeadline,
  type ProcessRecord,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';

/** The largest difference between two correct clocks, or between one clock and its correction, ms. */
export const clockToleranceMs = 5 * 60_000;

/** No correct clock writes a due time farther ahead than this, ms (R14). */
export const dueHorizonMs =
  Math.max(limits.coolDownMaxMs, limits.maxDurationMaxMs) + clockToleranceMs;

/** The earliest complete-by of the steps under way; null when no step is under way. */
export function earliestCompleteBy(steps: readonly StepRecord[]): number | null {
  let earliest: number | null = null;
  for (const { progress } of steps) {
    if (underWay(progress) && (earliest === null || progress.completeBy < earliest)) {
      earliest = progress.completeBy;
    }
  }
  return earliest;
}

/** When the first gate that holds a step is asked again; null when no step is held. */
export function heldUntil(steps: readonly StepRecord[]): number | null {
  let earliest: number | null = null;
  for (const { progress } of steps) {
    if (progress.state === 'Held' && (earliest === null || progress.until < earliest)) {
      earliest = progress.until;
    }
  }
  return earliest;
}

/** From when on the step may be undone, where an agent may still be at work on it; null where it may be now. */
export function doubtEndsAt({ doubtUntil }: StepRecord, nowMs: number): number | null {
  return doubtUntil !== null && doubtUntil >= nowMs ? doubtUntil + 1 : null;
}

/** When a Pending order that is still unclaimed is nudged again. */
export function pickUpBy(notBefore: number, nowMs: number): number {
  return notBefore > nowMs ? notBefore : nowMs + limits.pickUpGraceMs;
}

/** When the order is late, while it is live and goes forward; null when it has no deadline, or none that counts now. */
export function lateAt({
  processState,
  direction,
  deadline,
}: Pick<ProcessRecord, 'processState' | 'direction'> & {
  readonly deadline?: OrderDeadline | undefined;
}): number | null {
  const isLive = processState === 'Pending' || processState === 'Processing';
  return isLive && direction === 'forward' && deadline !== undefined ? deadline.lateAt : null;
}

/**
 * The key of the order in the due index. Every live order, and every order in Error with a call in
 * flight, has one (R16). A reply counts until complete-by, so the order is due 1 ms later.
 */
export function dueAt(record: ProcessRecord): number | null {
  const due = dueWithoutDeadline(record);
  const late = lateAt(record);
  return due === null || late === null ? due : Math.min(due, late);
}

function dueWithoutDeadline(record: ProcessRecord): number | null {
  switch (record.processState) {
    case 'Pending': {
      const running = earliestCompleteBy(record.steps);
      const pickUp = pickUpBy(record.notBefore, record.updatedAt);
      return running === null ? pickUp : Math.min(pickUp, running + 1);
    }
    case 'Processing':
      if (record.isHeld === undefined) return record.completeBy + 1;
      // A gate that is asked again starts what it held beside the calls that are in flight.
      return Math.min(record.completeBy + 1, heldUntil(record.steps) ?? Number.POSITIVE_INFINITY);
    case 'Error':
      return record.completeBy === null ? null : record.completeBy + 1;
    case 'Processed':
    case 'Undone':
      return null;
  }
}

/**
 * When a call in flight is late, or the order by its own deadline: as {@link dueAt}, without waits that only a nudge ends.
 * Null: neither can be.
 */
export function overdueAt(record: ProcessRecord): number | null {
  const { processState, completeBy } = record;
  const running =
    processState === 'Pending' ? earliestCompleteBy(record.steps) : (completeBy ?? null);
  const late = lateAt(record);
  if (running === null) return late;
  return late === null ? running + 1 : Math.min(running + 1, late);
}

/** The key in a due index with a precision, ms; null: not in the index. */
export function dueKeyOf(record: ProcessRecord, precisionMs: number): number | null {
  const due = dueAt(record);
  if (due === null) return null;
  // Rounded up: a fast order then moves in the index about twice in its life instead of twice per step.
  const rounded = Math.ceil(due / precisionMs) * precisionMs;
  if (due - record.updatedAt <= limits.messageDelayMaxMs) return rounded;
  return due === rounded ? due + 1 : due;
}

/**
 * Whether the key is of an order that was to be due later than a message can be delayed. Its key is not rounded, which is how
 * a sweep that looks ahead finds it without reading the records of all orders that are due soon.
 */
export const isFarKey = (key: number, precisionMs: number): boolean => key % precisionMs !== 0;
