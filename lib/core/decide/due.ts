/** Derived instants: by when somebody must look at an order again (R16). */
import { limits } from '#core/model/limits.ts';
import { type ProcessRecord, type StepRecord, underWay } from '#core/model/record.ts';

/** How far two machines' clocks, or one clock and its correction, may differ before it is a fault. */
export const clockToleranceMs = 5 * 60_000;

/** No due time lies further ahead than this, unless a clock was wrong when it was written (R14). */
export const dueHorizonMs =
  Math.max(limits.coolDownMaxMs, limits.maxDurationMaxMs) + clockToleranceMs;

/** The earliest complete-by of the steps under way; null when there is none. */
export function earliestCompleteBy(steps: readonly StepRecord[]): number | null {
  let earliest: number | null = null;
  for (const { progress } of steps) {
    if (underWay(progress) && (earliest === null || progress.completeBy < earliest)) {
      earliest = progress.completeBy;
    }
  }
  return earliest;
}

/** By when a Pending order must have been claimed, or else is nudged again. */
export function pickUpBy(notBefore: number, nowMs: number): number {
  return notBefore > nowMs ? notBefore : nowMs + limits.pickUpGraceMs;
}

/**
 * The order's key in the due index: every order that is not at its end, and every stopped one with a
 * call still out, has one (R16). A step may be reported until its complete-by, so it is due after it.
 */
export function dueAt(record: ProcessRecord): number | null {
  switch (record.processState) {
    case 'Pending': {
      const running = earliestCompleteBy(record.steps);
      const pickUp = pickUpBy(record.notBefore, record.updatedAt);
      return running === null ? pickUp : Math.min(pickUp, running + 1);
    }
    case 'Processing':
    case 'Error':
      return record.completeBy === null ? null : record.completeBy + 1;
    case 'Processed':
    case 'Undone':
      return null;
  }
}
