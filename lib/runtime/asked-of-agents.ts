/** What one order asks of its agents at this moment: calls that are out, and calls that wait. */
import type { HistoryEntry } from '#core/history.ts';
import type { AgentName } from '#core/ids.ts';
import { findStep, type ProcessRecord, type StepRecord, underWay } from '#core/record.ts';
import type { WorkflowRegistry } from '#core/registry.ts';
import type { StepDefinition } from '#core/workflow-definition.ts';

export interface Asked {
  readonly agent: AgentName;
  readonly kind: 'inFlight' | 'waiting';
}

/** A call waits when its turn has come: before its first try, or between two. */
export function askedOfAgents(registry: WorkflowRegistry, record: ProcessRecord): readonly Asked[] {
  const { processState } = record;
  if (processState === 'Processed' || processState === 'Undone') return [];
  const asked: Asked[] = [];
  const definition = processState === 'Error' ? undefined : registry.of(record);
  record.steps.forEach((step, at) => {
    const { agent } = step;
    const defined = definition?.steps[at];
    if (underWay(step.progress)) asked.push({ agent, kind: 'inFlight' });
    else if (defined !== undefined && isNext(record, step, defined)) {
      asked.push({ agent, kind: 'waiting' });
    }
  });
  return asked;
}

function isNext(record: ProcessRecord, step: StepRecord, definition: StepDefinition): boolean {
  const { state } = step.progress;
  if (record.direction === 'undo') {
    const mayHaveHappened = state === 'Completed' || step.doubtUntil !== null;
    return definition.undo === 'offered' && mayHaveHappened && state !== 'Undone';
  }
  return (
    state === 'NotStarted' &&
    definition.after.every((name) => {
      const before = findStep(record, name)?.progress.state;
      return before === 'Completed' || before === 'Skipped';
    })
  );
}

/** Tries and nudges bring no order on. */
const standsStill: ReadonlySet<HistoryEntry['type']> = new Set([
  'claim',
  'expired',
  'excused',
  'heartbeat',
]);

/** When the order last got on. */
export function gotOnAt({ history, submittedAt }: ProcessRecord): number {
  for (let at = history.length - 1; at >= 0; at -= 1) {
    const entry = history[at];
    if (entry !== undefined && !standsStill.has(entry.type)) return entry.at;
  }
  return submittedAt;
}
