/** The attempts before an order stopped in Error, derived from its record. */
import type { HistoryEntry } from './history.ts';
import type { Action, AgentName } from './ids.ts';
import { callPolicy } from './policy.ts';
import { findStep, type ProcessRecord, type StepRecord } from './record.ts';

/** The attempts of the step that stopped the order, since the submission or the last resubmit. */
export interface AttemptSummary {
  readonly agent: AgentName;
  /** Attempts that timed out or failed, without those that a restart or an outage interrupted. */
  readonly attempts: number;
  /** Cool-downs that were followed by another round of attempts. */
  readonly coolDowns: number;
  /** When the first failure of these attempts was recorded, ms since the epoch. */
  readonly since: number;
}

/** The summary of an order in Error; null in other states, and when no call stopped the order. */
export function attemptSummaryOf(record: ProcessRecord): AttemptSummary | null {
  if (record.processState !== 'Error' || record.fault.step === null) return null;
  const step = findStep(record, record.fault.step);
  if (step === undefined) return null;
  const resubmitted = record.history.findLastIndex(({ type }) => type === 'resubmit');
  const since = record.history.slice(resubmitted + 1);
  const action = record.fault.action ?? 'perform';
  const reports = since.filter(reportOf(step, action === 'undo'));
  const failed = [...timeoutsOf(step, action, since), ...reports].map(({ at }) => at);
  const attempts = step.failures + reports.length;
  if (attempts === 0) return null;
  return {
    agent: step.agent,
    attempts,
    coolDowns: coolDownsOf(step, action, reports.length > 0),
    since: Math.min(record.updatedAt, ...failed),
  };
}

function reportOf({ name }: StepRecord, isUndo: boolean) {
  const type = isUndo ? 'undoFailed' : 'stepFailed';
  return (entry: HistoryEntry) => entry.type === type && entry.step === name;
}

/**
 * The last `failures` timeouts: earlier ones are of the other action of the step. Those of performs have the timeouts of the
 * undos among them after which the step started anew.
 */
function timeoutsOf(
  { name, failures, undoFirst }: StepRecord,
  action: Action,
  history: readonly HistoryEntry[],
) {
  const own = history.filter((entry) => entry.type === 'expired' && entry.steps.includes(name));
  const between = action === 'perform' && undoFirst?.isDone ? undoFirst.undoFailures : 0;
  return failures === 0 ? [] : own.slice(-failures - between);
}

/** The last round was not followed by a cool-down. */
function coolDownsOf(
  { failures, policy }: StepRecord,
  action: Action,
  wasTriedAgain: boolean,
): number {
  const rounds = failures / (callPolicy(policy, action).retries + 1);
  return wasTriedAgain ? Math.floor(rounds) : Math.max(0, Math.ceil(rounds) - 1);
}
