/** Finds undos that fail by themselves: an order with such an undo never ends, and a world of it takes very long to say so. */
import { describeError } from '#core/model/errors.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { Find } from '../finding.ts';
import { type AgentTry, orderAndStep } from './agent-try.ts';

/** So often an undo fails without any fault of the simulation. What is no fault for good might pass. */
const failuresMax = { forGood: 3, other: 50 } as const;

/** Call it with each undo that has failed, and its error. */
export function failedUndos(find: Find): (own: AgentTry, error: unknown) => void {
  const failures = new Map<string, number>();
  return (own, error) => {
    const { agent, performKey, isFaulty, call } = own;
    if (isFaulty || call.signal.aborted || error instanceof TransientFault) return;
    const times = (failures.get(performKey) ?? 0) + 1;
    failures.set(performKey, times);
    const isForGood = error instanceof PermanentFault || error instanceof TypeError;
    if (times < (isForGood ? failuresMax.forGood : failuresMax.other)) return;
    failures.set(performKey, Number.NEGATIVE_INFINITY);
    const { order, step } = orderAndStep(performKey);
    find(
      'undo-fails',
      `The undo of ${agent} for ${step} of ${order} fails each time, though its service is well: ${describeError(error)}`,
    );
  };
}
