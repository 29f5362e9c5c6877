/** The attempts before an order stopped in Error, derived from its record. */

import type { AgentName } from '../ids.ts';
import { callPolicy } from '../policy.ts';
import { findStep, type ProcessRecord } from '../record.ts';
import { endedAttempts } from './ended-attempts.ts';

/** The attempts of the step that stopped the order, since the submission or the last resubmit. */
export interface AttemptSummary {
  readonly agent: AgentName;
  /**
   * Attempts that timed out or failed, without those that a restart or an outage interrupted. A hold is none, also where it counted as
   * a failed round.
   */
  readonly attempts: number;
  /** Cool-downs that were followed by another round of attempts. */
  readonly coolDowns: number;
  /** When the first failure of these attempts was recorded, ms since the epoch. */
  readonly since: number;
}

/** The summary of an order in Error; null in other states, and when no attempt was made that failed. */
export function attemptSummaryOf(record: ProcessRecord): AttemptSummary | null {
  if (record.processState !== 'Error' || record.fault.step === null) return null;
  const step = findStep(record, record.fault.step);
  if (step === undefined) return null;
  const action = record.fault.action ?? 'perform';
  const resubmitted = record.history.findLastIndex(({ type }) => type === 'resubmit');
  const failed = endedAttempts(record).filter(
    (one) =>
      one.step === step.name &&
      one.action === action &&
      one.entry > resubmitted &&
      (one.end === 'timedOut' || one.end === 'failed'),
  );
  const timeouts = failed.filter(({ end }) => end === 'timedOut').length;
  const reports = failed.length - timeouts;
  // The record counts rounds that a hold ended, too; the begin of an undo resets it.
  const failures = Math.max(step.failures, timeouts);
  const isShortened =
    record.history.findLastIndex(({ type }) => type === 'shortened') > resubmitted;
  const attempts = isShortened ? failures + reports : failed.length;
  if (attempts === 0) return null;
  const rounds = failures / (callPolicy(step.policy, action).retries + 1);
  return {
    agent: step.agent,
    attempts,
    // The last round was not followed by a cool-down.
    coolDowns: reports > 0 ? Math.floor(rounds) : Math.max(0, Math.ceil(rounds) - 1),
    since: Math.min(record.updatedAt, ...failed.map(({ at }) => at)),
  };
}
