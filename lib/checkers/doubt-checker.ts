/**
 * Tracks, independently of the records, until when an agent may be working on a step: the perform could
 * overtake an undo that starts earlier.
 */
import type { HistoryEntry } from '#core/model/history.ts';
import { findStep, type StepRecord } from '#core/model/record.ts';
import type { RecordPair } from './transition.ts';
import type { Breach } from './violation.ts';

/** R10: no undo starts before the reply or the complete-by of the last perform of its step. */
export function doubtChecker(breach: Breach): (write: RecordPair) => void {
  const until = new Map<string, number>();

  function judge(id: string, was: StepRecord | undefined, is: StepRecord, entry: HistoryEntry) {
    const { progress } = is;
    if (isKnown(is, entry)) until.delete(id);
    else if (progress.state === 'Running') until.set(id, progress.completeBy);
    else if (isRepaired(was, is, (until.get(id) ?? 0) - entry.at)) {
      until.set(id, is.doubtUntil ?? 0);
    }
    const starts = progress.state === 'Undoing' && is.attempt !== was?.attempt;
    const earliest = until.get(id);
    if (starts && earliest !== undefined && earliest >= entry.at) {
      breach('R10', `the undo of ${id} started while its perform might still be under way`);
    }
  }

  return ({ before, after }) => {
    const entry = after.history.at(-1);
    if (entry === undefined) return;
    for (const is of after.steps) {
      const was = before === null ? undefined : findStep(before, is.name);
      judge(`${after.orderId}/${is.name}`, was, is, entry);
    }
  };
}

/** A deadline further ahead may be one of a wrong clock, ms. */
const clockToleranceMs = 300_000;

/** Whether a deadline of a wrong clock was repaired (R14): nothing else ends a doubt without a reply. */
const isRepaired = (was: StepRecord | undefined, is: StepRecord, aheadMs: number): boolean =>
  was !== undefined &&
  is.doubtUntil !== was.doubtUntil &&
  is.doubtUntil !== null &&
  aheadMs > clockToleranceMs;

/** Whether a reply excludes that a perform is still in flight. */
function isKnown({ name }: StepRecord, entry: HistoryEntry): boolean {
  if (entry.type === 'stepSucceeded') return entry.step === name;
  return entry.type === 'stepFailed' && entry.step === name && entry.fault.effect === 'none';
}
