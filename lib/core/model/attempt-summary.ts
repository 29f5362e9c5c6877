/** What was tried before an order stopped for a person: read off its record, where nobody stored it. */
import type { HistoryEntry } from './history.ts';
import type { AgentName } from './ids.ts';
import { findStep, type ProcessRecord, type StepRecord } from './record.ts';

/** At the step that stopped the order, since it was submitted or last resubmitted. */
export interface AttemptSummary {
  readonly agent: AgentName;
  /** Attempts that timed out or failed; what a restart or an outage cut short is not counted. */
  readonly attempts: number;
  /** How often a round of attempts was followed by a cool-down and another round. */
  readonly coolDowns: number;
  /** When the first of them was known to have failed. */
  readonly since: number;
}

/** Null when the order is not in Error, or no call stopped it. */
export function attemptSummaryOf(record: ProcessRecord): AttemptSummary | null {
  if (record.processState !== 'Error' || record.fault.step === null) return null;
  const step = findStep(record, record.fault.step);
  if (step === undefined) return null;
  const resubmitted = record.history.findLastIndex(({ type }) => type === 'resubmit');
  const since = record.history.slice(resubmitted + 1);
  const reports = since.filter(reportOf(step, record.fault.action === 'undo'));
  const failed = [...timeoutsOf(step, since), ...reports].map(({ at }) => at);
  const attempts = step.failures + reports.length;
  if (attempts === 0) return null;
  return {
    agent: step.agent,
    attempts,
    coolDowns: coolDownsOf(step, reports.length > 0),
    since: Math.min(record.updatedAt, ...failed),
  };
}

function reportOf({ name }: StepRecord, isUndo: boolean) {
  const type = isUndo ? 'undoFailed' : 'stepFailed';
  return (entry: HistoryEntry) => entry.type === type && entry.step === name;
}

/** The last ones: those before were of the step's other action. */
function timeoutsOf({ name, failures }: StepRecord, history: readonly HistoryEntry[]) {
  const own = history.filter((entry) => entry.type === 'expired' && entry.steps.includes(name));
  return failures === 0 ? [] : own.slice(-failures);
}

/** After the last round of all there was none. */
function coolDownsOf({ failures, policy }: StepRecord, wasTriedAgain: boolean): number {
  const rounds = failures / (policy.retries + 1);
  return wasTriedAgain ? Math.floor(rounds) : Math.max(0, Math.ceil(rounds) - 1);
}
