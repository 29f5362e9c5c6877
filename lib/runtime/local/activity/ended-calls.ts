/** Counts the calls that ended with a write of their order. */
import type { HistoryEntry } from '#core/model/history.ts';
import type { AgentName } from '#core/model/ids.ts';
import { callPolicy } from '#core/model/policy.ts';
import {
  actionOf,
  findStep,
  type ProcessRecord,
  type StepRecord,
  type UnderWay,
  underWay,
} from '#core/model/record.ts';
import type { AgentCalls } from './agent-calls.ts';

type CallsOf = ReadonlyMap<AgentName, AgentCalls>;

/**
 * Replies that arrive together share a write, which has a revision and an entry for each: all entries since the former record are counted,
 * as far as the history, which may have been shortened, has them.
 *
 * @param before the record that was replaced
 */
export function noteCalls(
  calls: CallsOf,
  { history, revision }: ProcessRecord,
  before: ProcessRecord,
  nowMs: number,
): void {
  const first = Math.max(0, history.length - (revision - before.revision));
  for (let at = first; at < history.length; at += 1) noteCall(calls, history[at], before, nowMs);
}

/** The entry names the call that ended; the former record has its time of dispatch. */
function noteCall(
  calls: CallsOf,
  entry: HistoryEntry | undefined,
  before: ProcessRecord,
  nowMs: number,
): void {
  switch (entry?.type) {
    case 'stepSucceeded':
    case 'undoSucceeded': {
      const step = findStep(before, entry.step);
      if (step === undefined || !underWay(step.progress)) return;
      calls.get(step.agent)?.succeeded(nowMs, lengthOf(step, step.progress, entry.at));
      return;
    }
    case 'stepFailed':
    case 'undoFailed': {
      const step = findStep(before, entry.step);
      if (step !== undefined) calls.get(step.agent)?.failed(nowMs);
      return;
    }
    case 'expired':
      for (const name of entry.steps) {
        const step = findStep(before, name);
        if (step === undefined || !underWay(step.progress)) continue;
        const { completeBy } = step.progress;
        calls.get(step.agent)?.timedOut(nowMs, lengthOf(step, step.progress, completeBy));
      }
      return;
    case 'submit':
    case 'claim':
    case 'resume':
    case 'held':
    case 'heartbeat':
    case 'deferred':
    case 'interrupted':
    case 'resubmit':
    case 'cancel':
    case 'reprioritise':
    case 'shortened':
    case 'unknown':
    case undefined:
      return;
  }
}

/** From the dispatch of the call, ms; at least 0, also when the clock was set back. */
function lengthOf({ policy }: StepRecord, progress: UnderWay, until: number): number {
  const { maxDurationMs } = callPolicy(policy, actionOf(progress));
  return Math.max(0, until - (progress.endBy - maxDurationMs));
}
