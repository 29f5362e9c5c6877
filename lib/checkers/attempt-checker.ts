/** How often a step was tried since a person last decided something, over all writes of its order. */
import { underWay } from '#core/model/record.ts';
import { attemptsAllowed, dispatchedIn, isOperatorEntry, type RecordPair } from './transition.ts';
import type { Breach } from './violation.ts';

/**
 * R14: since the last operator's decision, a step is tried at most two times as often as its policy allows
 * (to perform and to undo it), and once more for each attempt that was interrupted.
 */
export function attemptChecker(breach: Breach): (write: RecordPair) => void {
  const used = new Map<string, number>();
  return (write) => {
    const { before, after } = write;
    const entry = after.history.at(-1);
    if (before === null || entry === undefined) return;
    const add = (name: string, more: number) => {
      const id = `${after.orderId}/${name}`;
      const attempts = (used.get(id) ?? 0) + more;
      used.set(id, attempts);
      return attempts;
    };
    if (isOperatorEntry(entry))
      for (const { name } of after.steps) used.delete(`${after.orderId}/${name}`);
    if (entry.type === 'interrupted' || after.failureCount === before.failureCount) {
      const out = new Set(after.steps.filter(({ progress }) => underWay(progress)).map(nameOf));
      for (const { name, progress } of before.steps) {
        if (underWay(progress) && !out.has(name)) add(name, -1);
      }
    }
    for (const { name, policy } of dispatchedIn(write)) {
      const attempts = add(name, 1);
      const allowed = 2 * attemptsAllowed(policy);
      if (attempts > allowed) {
        breach('R14', `${attempts} attempts of ${after.orderId}/${name}, ${allowed} are allowed`);
      }
    }
  };
}

const nameOf = ({ name }: { readonly name: string }) => name;
