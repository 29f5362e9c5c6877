/** The demand of one order on its agents: calls in flight, and calls that wait to be started. */
import { isReady } from '#core/decide/forward.ts';
import { blockedUndos, needsUndo } from '#core/decide/undo.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { AgentName, StepName } from '#core/model/ids.ts';
import {
  hasEnded,
  nextAction,
  type ProcessRecord,
  type StepProgress,
  underWay,
  unheld,
  waitsForAgent,
} from '#core/model/record.ts';

/** One call. */
export interface AgentDemand {
  readonly agent: AgentName;
  readonly kind: 'inFlight' | 'waiting';
}

/**
 * A call waits when its step is ready, before the first attempt or between two attempts; an undo, when the steps that depend on its step are
 * undone. One of an order that was submitted for a
 * later instant does not, until the order is claimed or nudged.
 *
 * @param definition undefined when unknown; waiting calls are then not counted
 */
export function agentDemand(
  record: ProcessRecord,
  definition: WorkflowDefinition | undefined,
): readonly AgentDemand[] {
  const { processState, steps } = record;
  if (hasEnded(record) || isSubmittedForLater(record)) return none;
  const blocked =
    record.direction === 'undo' && definition !== undefined
      ? blockedUndos(steps, definition)
      : noSteps;
  let demand = none;
  let at = -1;
  for (const step of steps) {
    at += 1;
    const { agent, progress } = step;
    const defined = processState === 'Error' ? undefined : definition?.steps[at];
    if (underWay(progress)) demand = withOne(demand, { agent, kind: 'inFlight' });
    else if (defined !== undefined && !isHeldForTurn(progress)) {
      const isNext =
        nextAction(record, step) === 'undo'
          ? needsUndo(step, defined) && !blocked.has(step.name)
          : unheld(progress).state === 'NotStarted' && isReady(steps, defined);
      if (isNext) demand = withOne(demand, { agent, kind: 'waiting' });
    }
  }
  return demand;
}

const none: readonly AgentDemand[] = [];
const noSteps: ReadonlySet<StepName> = new Set();

/** An array that grows has room for many; most orders have one call. */
const withOne = (demand: readonly AgentDemand[], one: AgentDemand): readonly AgentDemand[] =>
  demand.length === 0 ? [one] : [...demand, one];

/** Nothing has happened since its submission for a later instant: it asks nothing of its agents yet. */
function isSubmittedForLater({ history }: ProcessRecord): boolean {
  const last = history.at(-1);
  return last?.type === 'submit' && last.notBefore !== undefined;
}

/** It asks nothing of its agent before earlier orders have ended. */
const isHeldForTurn = (progress: StepProgress) =>
  progress.state === 'Held' && !waitsForAgent(progress);

/** Entries that start or repeat attempts without a result, or only move what waits. */
const withoutProgress: ReadonlySet<HistoryEntry['type']> = new Set([
  'claim',
  'expired',
  'interrupted',
  'heartbeat',
  'held',
  'resume',
  'deferred',
  'reprioritise',
]);

/** When the order last made progress, ms since the epoch. */
export function progressedAt({ history, submittedAt }: ProcessRecord): number {
  return history.findLast(({ type }) => !withoutProgress.has(type))?.at ?? submittedAt;
}
