/** The platform goes away for hours, with everything that was under way. */
import type { OrderId, StepName } from '#core/ids.ts';
import { type ProcessRecord, underWay } from '#core/record.ts';
import type { Fleet } from './fleet.ts';
import type { Surroundings } from './machine.ts';
import type { Breach } from './rules.ts';
import type { Write } from './sim-table.ts';

/** An attempt that was under way when the platform went away, and due before it came back. */
export interface Interrupted {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
}

const HOUR = 3_600_000;

/** Takes it away, and says for how long, ms, and what that interrupts. */
export function goDark(
  fleet: Fleet,
  { timeline, chance }: Surroundings,
  records: readonly ProcessRecord[],
): { readonly ms: number; readonly interrupted: readonly Interrupted[] } {
  const ms = chance.between(2 * HOUR, 8 * HOUR);
  const now = timeline.now();
  const interrupted = records.flatMap(({ orderId, steps }) =>
    steps
      .filter(({ progress }) => underWay(progress) && isWithin(progress.completeBy, now, now + ms))
      .map(({ name: step, attempt }) => ({ orderId, step, attempt })),
  );
  fleet.goDark(ms);
  return { ms, interrupted };
}

const isWithin = (at: number, from: number, to: number) => at >= from && at < to;

/** R20: what the platform's absence made late is tried again, and counts as nobody's failure. */
export function judgeForgiveness(
  interrupted: readonly Interrupted[],
  writes: readonly Write[],
  breach: Breach,
): void {
  for (const { orderId, step, attempt } of interrupted) {
    for (const { before, after } of writes) {
      if (after.orderId !== orderId || before === null) continue;
      const was = before.steps.find(({ name }) => name === step);
      const punished =
        after.failureCount > before.failureCount &&
        was?.attempt === attempt &&
        underWay(was.progress) &&
        was.progress.completeBy < after.updatedAt;
      if (punished) breach('R20', `attempt ${attempt} of ${step} of ${orderId} paid for an outage`);
    }
  }
}
