/** Counts the attempts of each step since the last operator event, over all writes of its order. */
import { attemptsAllowed, callPolicy, undosFirstAllowed } from '#core/model/policy.ts';
import { underWay } from '#core/model/record.ts';
import { dispatchedIn, isOperatorEntry, type RecordPair } from './transition.ts';
import type { Breach } from './violation.ts';

/**
 * R14: between two operator events, a step has at most the attempts of its policy and of that of its undo,
 * plus one for each interrupted attempt; and those of the undos after which it started anew, if there were any.
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
      const stillUnderWay = new Set(
        after.steps.filter(({ progress }) => underWay(progress)).map(nameOf),
      );
      for (const { name, progress } of before.steps) {
        if (underWay(progress) && !stillUnderWay.has(name)) add(name, -1);
      }
    }
    for (const { name, policy, undoFirst } of dispatchedIn(write)) {
      const attempts = add(name, 1);
      const undosFirst = undoFirst === undefined ? 0 : undosFirstAllowed(policy);
      const allowed =
        attemptsAllowed(policy) + attemptsAllowed(callPolicy(policy, 'undo')) + undosFirst;
      if (attempts > allowed) {
        breach('R14', `${attempts} attempts of ${after.orderId}/${name}, ${allowed} are allowed`);
      }
    }
  };
}

const nameOf = ({ name }: { readonly name: string }) => name;
