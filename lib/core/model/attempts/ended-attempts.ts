/**
 * The attempts of an order that have ended, derived from its record alone: without its definition, and also where the history was
 * shortened. Each of them has one entry in the history.
 */

import type { HistoryEntry } from '../history.ts';
import type { Action } from '../ids.ts';
import { type ProcessRecord, underWay } from '../record.ts';
import { attemptWalk, type ShownEnd } from './attempt-walk.ts';

/** An attempt whose end is in the history. */
export interface EndedAttempt extends ShownEnd {
  readonly action: Action;
}

/**
 * In the order of their ends. What an attempt did that timed out, was interrupted or given back is not in its entry, and follows
 * from the others. It may be wrong where a clock was, where entries were dropped, or where an irreversible step turned the order
 * forward again.
 */
export function endedAttempts(record: ProcessRecord): readonly EndedAttempt[] {
  const ends = numbered(record);
  const withActions = (begunBefore: boolean) => {
    const walk = attemptWalk(record, begunBefore);
    let next = 0;
    const attempts: EndedAttempt[] = [];
    for (const [entry, { type }] of record.history.entries()) {
      for (let end = ends[next]; end?.entry === entry; end = ends[next]) {
        attempts.push({ ...end, action: walk.ended(end, type) });
        next += 1;
      }
      walk.passed(entry);
    }
    return { attempts, isUndo: walk.isUndo() };
  };
  const { attempts, isUndo } = withActions(false);
  return isUndo === (record.direction === 'undo') ? attempts : withActions(true).attempts;
}

/** Counted back from the latest attempt, whose number is in the record: a shortened history has no begin. */
function numbered({ history, steps }: ProcessRecord): readonly ShownEnd[] {
  const latest = new Map(
    steps.map(({ name, attempt, progress }) => [name, underWay(progress) ? attempt - 1 : attempt]),
  );
  const found: ShownEnd[] = [];
  for (let entry = history.length - 1; entry >= 0; entry -= 1) {
    const of = history[entry];
    for (const { step, end, fault, attempt = latest.get(step) ?? 0 } of endsIn(of).toReversed()) {
      latest.set(step, attempt - 1);
      found.push({ step, end, fault, attempt, at: of?.at ?? 0, entry });
    }
  }
  return found.reverse();
}

type Shown = Pick<ShownEnd, 'step' | 'end' | 'fault'> & { readonly attempt?: number };

/** An entry has each step at most once. */
function endsIn(entry: HistoryEntry | undefined): readonly Shown[] {
  switch (entry?.type) {
    case 'stepSucceeded':
    case 'undoSucceeded':
      return [{ step: entry.step, attempt: entry.attempt, end: 'succeeded', fault: null }];
    case 'stepFailed':
    case 'undoFailed':
      return [{ step: entry.step, attempt: entry.attempt, end: 'failed', fault: entry.fault }];
    case 'deferred':
      return [{ step: entry.step, attempt: entry.attempt, end: 'deferred', fault: null }];
    case 'expired':
    case 'interrupted': {
      const end = entry.type === 'expired' ? 'timedOut' : 'interrupted';
      return entry.steps.map((step) => ({ step, end, fault: null }));
    }
    default:
      return [];
  }
}
