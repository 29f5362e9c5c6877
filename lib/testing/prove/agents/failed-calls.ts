/**
 * Finds performs and undos that fail by themselves: an order with such a step is repeated without end, and a world of it takes very long to say
 * so.
 */
import { describeError, readableError } from '#core/model/errors.ts';
import { PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import { errorHead, userFrames } from '#runtime/node/user-stack.ts';
import type { Find } from '../finding.ts';
import { type AgentTry, orderAndStep } from './agent-try.ts';

/** So often a call fails without any fault of the simulation. What is no mistake for sure might pass. */
const failuresMax = { forGood: 3, other: 50 } as const;

/** Of code that is wrong: another try does not help. */
const mistakes = [TypeError, ReferenceError, RangeError, SyntaxError];

/**
 * Call it with each call that has failed, and its error.
 *
 * @param hasFound whether there is a mistake already, which may be why performs fail
 */
export function failedCalls(
  find: Find,
  hasFound: () => boolean,
): (own: AgentTry, thrown: unknown) => void {
  const failures = new Map<string, number>();
  return (own, thrown) => {
    const { agent, performKey, isFaulty, call, action } = own;
    const error = readableError(thrown);
    if (isFaulty || call.signal.aborted || error instanceof TransientFault) return;
    const isUndo = action === 'undo';
    if (!isUndo && (error instanceof PermanentFault || hasFound())) return;
    const { order, step } = orderAndStep(performKey);
    const key = `${action} ${order}/${step}`;
    const times = (failures.get(key) ?? 0) + 1;
    failures.set(key, times);
    const isForGood =
      error instanceof PermanentFault || mistakes.some((kind) => error instanceof kind);
    if (times < (isForGood ? failuresMax.forGood : failuresMax.other)) return;
    failures.set(key, Number.NEGATIVE_INFINITY);
    if (isUndo)
      find(
        'undo-fails',
        `The undo of ${agent} for ${step} of ${order} fails each time, though its service is well: ${describeError(error)}`,
      );
    else
      find(
        'code-throws',
        `The perform of ${agent} throws ${thrownText(error)}, each time, for ${step} of ${order}, though nothing fails.${placeOf(error)}`,
      );
  };
}

/** Class, code and message. */
export const thrownText = (error: unknown): string => errorHead(error).replace(/\.$/, '');

/** ` at pay (file:///shop/agents.ts:12:9)`; empty when its frames are not known. */
export const placeOf = (error: unknown): string =>
  userFrames(error)
    .slice(0, 1)
    .map((frame) => ` ${frame}`)
    .join('');
