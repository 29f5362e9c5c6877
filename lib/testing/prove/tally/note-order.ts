/** Counts what an order came to. */
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import { versionName } from '../orders/release.ts';
import type { Tally } from './tally.ts';

/** The definition of an order, by its record. */
export const definitionName = ({
  workflow: name,
  workflowVersion: version,
}: Pick<ProcessRecord, 'workflow' | 'workflowVersion'>): string => versionName({ name, version });

export function noteOrder(tally: Tally, record: ProcessRecord): void {
  const of = definitionName(record);
  const { processState, turn, steps } = record;
  tally.note('stored', of);
  if (processState === 'Processed' || processState === 'Undone') tally.note(processState, of);
  if (turn?.behind !== undefined) tally.note('met', of);
  for (const step of steps) if (wasCompleted(step)) tally.note('completed', `${of}/${step.name}`);
}

/** Orders that met another one with their singleton key, and were skipped: nothing is stored of them. */
export const noteSkipped = (tally: Tally, of: string): void =>
  tally.note('met', of, Math.max(0, tally.count('submitted', of) - tally.count('stored', of)));

const wasCompleted = ({ progress }: StepRecord) =>
  progress.state === 'Completed' || ('before' in progress && progress.before.state === 'Completed');
