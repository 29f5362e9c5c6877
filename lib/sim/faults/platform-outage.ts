/** A long outage of the platform, or its store, or one process that stands still, with orders in progress. */

import type { Breach } from '#checkers/violation.ts';
import type { OrderId, StepName } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { Chance } from '#sim/world/chance.ts';

/** An attempt in progress when an outage began, and due before its end. */
export interface Interrupted {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
}

/** What an outage interrupted. */
export interface Interruption {
  readonly attempts: readonly Interrupted[];
  /** How often a record had been unreadable when it began. */
  readonly unreadBefore: number;
}

const hourMs = 3_600_000;

/** The duration of an outage of the whole platform, ms. */
export const outageMs = (chance: Chance) => chance.between(2 * hourMs, 8 * hourMs);

/** What the end of the one process interrupted. */
export interface RestartInterruption {
  /** The machine of the next process. */
  readonly by: string;
  /** In progress when it starts. */
  readonly attempts: readonly Interrupted[];
}

/** Attempts in progress now whose complete-by passes before that instant. */
export function interruptedUntil(
  instant: number,
  nowMs: number,
  records: readonly ProcessRecord[],
): readonly Interrupted[] {
  return records.flatMap(({ orderId, steps }) =>
    steps
      .filter(({ progress }) => underWay(progress) && isWithin(progress.completeBy, nowMs, instant))
      .map(({ name: step, attempt }) => ({ orderId, step, attempt })),
  );
}

const isWithin = (at: number, from: number, to: number) => at >= from && at < to;

/** R20: a restart ends every call of the former process, and counts no failure for it. */
export function judgeRestarts(
  restarts: readonly RestartInterruption[],
  writes: readonly Write[],
  breach: Breach,
): void {
  const writesOf = Map.groupBy(writes, ({ by }) => by);
  for (const { by, attempts } of restarts)
    judgeInterruptions(attempts, writesOf.get(by) ?? [], breach);
}

/** R20: a step that an outage delayed is started again without counting a failure. */
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
      if (counted)
        breach(
          'R20',
          `attempt ${attempt} of ${step} of ${orderId} counted an outage, or a restart, as a failure`,
        );
    }
  }
}
