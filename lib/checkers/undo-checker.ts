/** Rules for the undo direction, in every write. */

import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { StepName } from '#core/model/ids.ts';
import { findStep, isUndoneFirst } from '#core/model/record.ts';
import { eachStep, isDispatched, mayHaveEffect, outputOf, type WriteRule } from './transition.ts';

/** R10: an order is Undone only when no step has, or may have, an effect that an undo can remove. */
const undoneWhenUndone: WriteRule = ({ after, definition }) => {
  if (after.processState !== 'Undone') return null;
  const left = definition.steps.find((own) => mayHaveEffect(own, findStep(after, own.name)));
  if (left !== undefined) return `Undone, and ${left.name} is not`;
  const taken = after.steps.find(
    (step) => step.policy.irreversible && outputOf(step) !== undefined,
  );
  return taken !== undefined && `Undone, and ${taken.name} cannot be`;
};

/**
 * R10: a step is undone only if its agent offers an undo, after its doubt has ended, and after its dependents; and when no step
 * is running, except where it is undone before it is performed again.
 */
const undoneInOrder = eachStep((pair, { after, definition, at }) => {
  const { is, own } = pair;
  if (!isDispatched(pair) || is.progress.state !== 'Undoing') return null;
  const isFirst = after.direction === 'forward' && isUndoneFirst(is);
  if (after.direction !== 'undo' && !isFirst) return 'undone in the forward direction';
  if (own.undo !== 'offered') return 'undone without an undo of its agent';
  if (is.doubtUntil !== null && is.doubtUntil >= at) return 'undone while in doubt';
  const running = after.steps.find(({ progress }) => progress.state === 'Running');
  if (running !== undefined && !isFirst) return `undone while ${running.name} was running`;
  const dependents = dependentsOf(definition, own.name);
  const later = definition.steps.find(
    (other) => dependents.has(other.name) && mayHaveEffect(other, findStep(after, other.name)),
  );
  return later !== undefined && `undone before ${later.name}`;
});

/** R10: a step that may have had an effect is not Skipped: nothing would undo it. */
const skippedWithoutEffect = eachStep(
  ({ is }) => is.progress.state === 'Skipped' && is.doubtUntil !== null && 'skipped while in doubt',
);

/** The direct and indirect dependents of the step. */
function dependentsOf({ order, steps }: WorkflowDefinition, name: StepName): ReadonlySet<StepName> {
  const found = new Set<StepName>();
  for (const at of order) {
    const step = steps[at];
    if (step?.after.some((before) => before === name || found.has(before))) found.add(step.name);
  }
  return found;
}

/** The rules with their names in docs/design.md. */
export const undoRules = [
  ['R10', undoneWhenUndone],
  ['R10', undoneInOrder],
  ['R10', skippedWithoutEffect],
] as const;
