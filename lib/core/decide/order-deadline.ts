/**
 * The deadline of an order: how long after its submission it must be finished, with all waits. It is the limit of the
 * business on all waiting; the policies of steps bound single calls. The Supervisor finds a late order in the due index
 * (R16), and `expired` decides it. A resubmit of the order after its deadline ends the deadline (operator-commands.ts).
 */

import type { FaultCode } from '#core/model/fault-codes.ts';
import type { OrderDeadline, OrderFault } from '#core/model/record.ts';
import { type Draft, park, release } from './draft.ts';
import { lateAt } from './due.ts';
import { cancelRefusal } from './operator/operator-commands.ts';
import { beginUndo } from './undo.ts';

/**
 * Stops a late order, or undoes it as a cancel would. Calls in flight end or expire, as in any order that stops or is
 * cancelled. Gives whether it was late: orders in Error, ended orders and those being undone never are.
 */
export function endLate(draft: Draft): boolean {
  const { deadline, direction, nowMs } = draft;
  const { processState } = draft.lockState;
  const at = lateAt({ processState, direction, deadline });
  if (deadline === undefined || at === null || nowMs < at) return false;
  // The nudges of the same event: the order does not go forward.
  draft.commands.length = 0;
  const isFinal = cancelRefusal(draft) === 'irreversible';
  const fault = faultOf(draft, deadline, isFinal);
  if (deadline.onLate === 'hold' || isFinal) park(draft, fault);
  else {
    beginUndo(draft, fault);
    if (processState === 'Pending') release(draft, nowMs);
  }
  return true;
}

function faultOf({ base }: Draft, deadline: OrderDeadline, isFinal: boolean): OrderFault {
  const why =
    deadline.onLate === 'undo' && isFinal
      ? ' It cannot be undone: an irreversible step happened, or may have.'
      : '';
  return {
    code: 'late' satisfies FaultCode,
    message: `Not finished within ${lengthText(deadline.lateAt - base.submittedAt)} of its submission.${why}`,
    effect: 'none',
    step: null,
    action: null,
  };
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** In the largest unit of which it is a whole number over one, else in seconds. */
function lengthText(ms: number): string {
  const unit = units.find(([, length]) => ms > length && ms % length === 0);
  return unit === undefined ? `${ms / 1_000} s` : `${ms / unit[1]} ${unit[0]}`;
}
