/** Rules for the deadline of an order, in every write. */

import type { ProcessRecord } from '#core/model/record.ts';
import { isSame } from './same-document.ts';
import type { WriteRule } from './transition.ts';

const isLive = ({ processState }: ProcessRecord) =>
  processState === 'Pending' || processState === 'Processing';
const goesForward = (record: ProcessRecord) => isLive(record) && record.direction === 'forward';

/** R16: an order that goes forward is in the due index at its deadline at the latest. */
const lateIsDue: WriteRule = ({ after, due }) =>
  goesForward(after) &&
  after.deadline !== undefined &&
  (due === null || due > after.deadline.lateAt) &&
  'due after its deadline';

/** R14: a deadline never moves; only a resubmit after it ends it, or of an order that another clock stopped as late. */
const deadlineStays: WriteRule = ({ before, after, entry, at }) => {
  if (isSame(before.deadline ?? null, after.deadline ?? null)) return null;
  if (before.deadline === undefined || after.deadline !== undefined) return 'has another deadline';
  const isLate = at >= before.deadline.lateAt || before.fault?.code === 'late';
  if (!isLate) return 'lost its deadline before it was late';
  return entry.type !== 'resubmit' && `lost its deadline by ${entry.type}`;
};

/** R14: a sweep finds an order late once, at its deadline or after it, while it goes forward. */
const lateInTime: WriteRule = ({ before, after, entry, at }) => {
  if (entry.type !== 'expired') return null;
  const { deadline } = before;
  const isPast = deadline !== undefined && at >= deadline.lateAt;
  if (entry.late !== true) {
    return isPast && goesForward(before) && goesForward(after) && 'is late, and goes on';
  }
  if (!isPast || !goesForward(before)) return 'is late before its deadline, or not going forward';
  const isFinal = after.steps.some(
    ({ policy, progress, doubtUntil }) =>
      policy.irreversible && (progress.state === 'Completed' || doubtUntil !== null),
  );
  if (after.fault?.code !== 'late') return 'is late without the fault';
  return deadline.onLate === 'undo' && !isFinal
    ? after.direction !== 'undo' && 'is late, and not undone'
    : after.processState !== 'Error' && 'is late, and did not stop';
};

/** R9: a resubmit after the deadline is not taken back by that deadline. */
const resubmitEndsDeadline: WriteRule = ({ after, entry, at }) =>
  entry.type === 'resubmit' &&
  after.deadline !== undefined &&
  after.deadline.lateAt <= at &&
  'was resubmitted, and is still late';

/** The rules with their names in docs/design.md. */
export const orderDeadlineRules = [
  ['R16', lateIsDue],
  ['R14', deadlineStays],
  ['R14', lateInTime],
  ['R9', resubmitEndsDeadline],
] as const;
