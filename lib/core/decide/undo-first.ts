/**
 * Failover of a step in doubt (`failover: 'undo-first'` of its pool). Where a round of attempts has ended in doubt, the step is
 * undone in the domain of the doubt (R25), while the order goes forward; then it starts anew at any member, under a new
 * key. So at most one domain has an effect at the end. The Scheduler decides whether an undo comes first, because it
 * knows the pool; from then on the record says so, and recovery needs no definition.
 *
 *     provider first  | #1 #2 | -coolDown-> | undo #3 |
 *     provider second |       |             |         | #4 ...
 *     failures        |  1  2 |             |    0    |  2 ...
 *     key             | order/step          |         | order/step#2
 */
import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import { isUndoneFirst, type StepRecord } from '#core/model/record.ts';
import { ownMember } from './choose-agent.ts';
import { type Draft, setStep } from './draft.ts';

/**
 * Whether the next call of the step is an undo in the domain of its doubt, which begins with it. Each round is followed by one
 * at most: an attempt of the next round that was interrupted or given back does not begin another one.
 */
export function beginsUndoFirst(
  { failover, pool = [] }: Pick<StepDefinition, 'failover' | 'pool'>,
  step: StepRecord,
  nowMs: number,
): boolean {
  if (failover !== 'undo-first' || isUndoneFirst(step)) return false;
  const { doubtUntil, failures, policy, undoFirst } = step;
  // Until then an agent may still be at work, and the undo could come before the perform. The round goes on instead.
  if (doubtUntil === null || doubtUntil >= nowMs) return false;
  const isRoundOver = failures > 0 && failures % (policy.retries + 1) === 0;
  if (!isRoundOver || failures <= (undoFirst?.performFailures ?? 0)) return false;
  const own = ownMember(pool, step)?.domain;
  return pool.some(({ domain, weight }) => weight > 0 && domain !== own);
}

type Counts = Pick<StepRecord, 'failures' | 'undoFirst'>;

/** Of a step whose undo begins: `failures` goes on with those of the undos before. */
export function undoFirstBegun({ failures, undoFirst }: StepRecord): Counts {
  return {
    failures: undoFirst?.isDone === true ? undoFirst.undoFailures : 0,
    undoFirst: { isDone: false, performFailures: failures },
  };
}

/** After its undo: the step is as new, except that its performs have failed so often. */
export function startAnew(draft: Draft, at: number, step: StepRecord): void {
  const { failures, keyGeneration, undoFirst } = step;
  const performFailures = undoFirst?.performFailures ?? 0;
  setStep(draft, at, {
    progress: { state: 'NotStarted' },
    doubtUntil: null,
    keyGeneration: keyGeneration + 1,
    failures: performFailures,
    undoFirst: { isDone: true, performFailures, undoFailures: failures },
  });
}

/** After a resubmit, which resets all counts. An undo that has begun goes on: a perform could be overtaken by it. */
export function undoFirstResubmitted({ undoFirst }: StepRecord): Pick<StepRecord, 'undoFirst'> {
  if (undoFirst === undefined) return {};
  const reset = { performFailures: 0 };
  return {
    undoFirst: undoFirst.isDone
      ? { isDone: true, ...reset, undoFailures: 0 }
      : { isDone: false, ...reset },
  };
}
