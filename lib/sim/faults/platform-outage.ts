/** The platform, or its store, goes away for long, with everything that was under way. */

import type { Breach } from '#checkers/violation.ts';
import type { OrderId, StepName } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { Chance } from '#sim/world/chance.ts';

/** An attempt that was under way when the platform went away, and due before it came back. */
export interface Interrupted {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
}

const HOUR = 3_600_000;

/** How long an outage of everything lasts, ms. */
export const outageMs = (chance: Chance) => chance.between(2 * HOUR, 8 * HOUR);

/** What is under way now, and past its complete-by at that instant. */
export function interruptedUntil(
  instant: number,
  now: number,
  records: readonly ProcessRecord[],
): readonly Interrupted[] {
  return records.flatMap(({ orderId, steps }) =>
    steps
      .filter(({ progress }) => underWay(progress) && isWithin(progress.completeBy, now, instant))
      .map(({ name: step, attempt }) => ({ orderId, step, attempt })),
  );
}

const isWithin = (at: number, from: number, to: number) => at >= from && at < to;

/** R20: what the platform's absence made late is tried again, and counts as nobody's failure. */
export function judgeInterruptions(
  interrupted: readonly Interrupted[],
  writes: readonly Write[],
  breach: Breach,
): void {
  for (const { orderId, step, attempt } of interrupted) {
    for (const { before, after } of writes) {
      if (after.orderId !== orderId || before === null) continue;
      const was = before.steps.find(({ name }) => name === step);
      const counted =
        after.failureCount > before.failureCount &&
        was?.attempt === attempt &&
        underWay(was.progress) &&
        was.progress.completeBy < after.updatedAt;
      if (counted) breach('R20', `attempt ${attempt} of ${step} of ${orderId} paid for an outage`);
    }
  }
}
