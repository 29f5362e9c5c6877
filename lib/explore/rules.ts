/** What must hold in every state of a small world and for every move; each by the rule of the design. */
import type { StepName } from '#core/ids.ts';
import { findStep, type ProcessRecord, type StepRecord } from '#core/record.ts';
import type { WorkflowDefinition } from '#core/workflow-definition.ts';
import type { Move, WorldState } from './small-world.ts';

/** The first rule that is broken, in words; null when none is. */
export function brokenBy(
  { steps }: WorkflowDefinition,
  before: WorldState,
  { next, decision }: Move,
): string | null {
  const undoable = new Set(steps.filter(({ undo }) => undo === 'offered').map(({ name }) => name));
  if (decision?.kind !== 'transition') return ended(undoable, next);
  return (
    final(before.record, next.record) ??
    started(steps, before.record, next) ??
    expired(before, next.record) ??
    ended(undoable, next)
  );
}

/** R9: Processed and Undone are final; Error is left by the operator alone. */
function final(before: ProcessRecord, after: ProcessRecord): string | null {
  const { processState } = before;
  if (processState === 'Processed' || processState === 'Undone') {
    return `R9: an order that was ${processState} was written again`;
  }
  const last = after.history.at(-1)?.type;
  const byOperator = last === 'resubmit' || last === 'cancel';
  return processState === 'Error' && after.processState !== 'Error' && !byOperator
    ? `R9: an order in Error went on by ${last}`
    : null;
}

/** R3, R4, R5, R8: what a write starts. */
function started(
  definitions: WorkflowDefinition['steps'],
  before: ProcessRecord,
  { record, requests }: WorldState,
): string | null {
  for (const { name, after } of definitions) {
    const was = findStep(before, name);
    const is = findStep(record, name);
    if (was === undefined || is === undefined) return `step ${name} is gone`;
    if (is.attempt === was.attempt) continue;
    if (is.attempt !== was.attempt + 1) return `R8: step ${name} went to attempt ${is.attempt}`;
    if (is.progress.state === 'Running') {
      if (isDone(was)) return `R5: step ${name} was performed again`;
      const open = after.find((one) => !isDone(findStep(record, one)));
      if (open !== undefined) return `R4: step ${name} started before ${open}`;
    }
  }
  const seen = new Set<string>();
  for (const { step, attempt, action } of requests) {
    const one = `${action} ${step} ${attempt}`;
    if (seen.has(one) && !isDoubled(before, step, attempt)) return `R3: ${one} was sent twice`;
    seen.add(one);
  }
  return null;
}

/** A request that was on its way before may be there twice: queues double. */
const isDoubled = (before: ProcessRecord, step: StepName, attempt: number) =>
  (findStep(before, step)?.attempt ?? 0) >= attempt;

const isDone = (step: StepRecord | undefined) =>
  step?.progress.state === 'Completed' || step?.progress.state === 'Skipped';

/** R6: after complete-by, a reply changes nothing. */
function expired({ record, nowMs }: WorldState, after: ProcessRecord): string | null {
  const entry = after.history.at(-1);
  if (entry === undefined || !('step' in entry)) return null;
  const progress = findStep(record, entry.step)?.progress;
  if (progress === undefined || !('completeBy' in progress)) return `R6: ${entry.step} was not out`;
  return nowMs > progress.completeBy ? `R6: a late reply of ${entry.step} was taken` : null;
}

/** R5, R10: what the services have done is what the order says. */
function ended(undoable: ReadonlySet<StepName>, { record, effects }: WorldState): string | null {
  const of = (name: StepName) => {
    const own = Object.entries(effects).filter(([key]) => key.split(/[/#]/)[1] === name);
    return own.map(([, effect]) => effect);
  };
  if (record.processState === 'Undone') {
    const left = [...undoable].find((name) => of(name).includes('applied'));
    return left === undefined ? null : `R10: Undone, but the effect of ${left} is there`;
  }
  if (record.processState === 'Processed') {
    for (const { name, progress } of record.steps) {
      const wanted = progress.state === 'Skipped' ? 0 : 1;
      const found = of(name).filter((effect) => effect === 'applied').length;
      if (found !== wanted) return `Processed, but ${name} took effect ${found} times`;
    }
  }
  return null;
}
