/** Rules for the priority of an order, in every write. */
import { isSame } from './same-document.ts';
import type { WriteRule } from './transition.ts';

/** R24: an order keeps its priority until an operator changes it, to the one that the operator gave. */
const priorityIsGiven: WriteRule = ({ before, after, entry }) => {
  if (entry.type !== 'reprioritise') {
    return after.priority !== before.priority && `priority ${before.priority} → ${after.priority}`;
  }
  if (entry.from !== before.priority) return `from ${entry.from}, which was ${before.priority}`;
  return after.priority !== entry.priority && `is ${after.priority}, not ${entry.priority}`;
};

/** R23: a change of the priority disturbs no attempt, ends no wait and stops nothing. */
const onlyPriorityChanges: WriteRule = ({ before, after, entry }) => {
  if (entry.type !== 'reprioritise') return null;
  if (!isSame(before.steps, after.steps)) return 'changed a step';
  const changed = (
    ['processState', 'direction', 'notBefore', 'failureCount', 'lockedBy'] as const
  ).find((name) => before[name] !== after[name]);
  return changed !== undefined && `changed ${changed}`;
};

export const priorityRules = [
  ['R24', priorityIsGiven],
  ['R23', onlyPriorityChanges],
] as const;
