/**
 * Once all clocks are right, no order stays due farther ahead than a correct clock writes: a sweep repairs it within an
 * hour (R14).
 */
import type { Breach } from '#checkers/violation.ts';
import { dueAt, dueHorizonMs } from '#core/decide/due.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** Twice the time in which a sweep repairs, because a sweep may fail. */
const repairedWithinMs = 2 * 3_600_000;

/** Call it with all records and the time; it looks at them every two hours. */
export function repairWatch(breach: Breach) {
  let lookAt = 0;
  let before: ReadonlySet<string> = new Set();
  return (records: () => readonly ProcessRecord[], nowMs: number): void => {
    if (nowMs < lookAt) return;
    lookAt = nowMs + repairedWithinMs;
    const far = records().filter((record) => (dueAt(record) ?? 0) > nowMs + dueHorizonMs);
    const revisions = far.map(({ orderId, revision }) => `${orderId} ${revision}`);
    for (const [at, { orderId }] of far.entries()) {
      if (!before.has(revisions[at] ?? '')) continue;
      breach('R14', `${orderId} is due later than any correct clock writes, and is not repaired`);
    }
    before = new Set(revisions);
  };
}
