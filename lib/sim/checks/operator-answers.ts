/** Checks the answers to operators. */

import { isSame } from '#checkers/same-document.ts';
import type { RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import type { OrderId } from '#core/model/ids.ts';

/** What an operator asks for. */
export interface Command {
  readonly orderId: OrderId;
  readonly type: 'resubmit' | 'cancel' | 'reprioritise';
  /** Who asks. */
  readonly by: string;
  /** New values of fields. Default: none. */
  readonly corrections?: readonly unknown[];
  /** Only of a `reprioritise`. */
  readonly priority?: string;
}

/** See {@link operatorChecker}. */
export type OperatorChecker = ReturnType<typeof operatorChecker>;

/** R13: what is answered as done is in the history of a durable record, and was not before. */
export function operatorChecker(breach: Breach) {
  const stored: RecordPair[] = [];
  return {
    /** The store applied a write. Call it for each decision of the write. */
    wroteOrder(write: RecordPair) {
      stored.push(write);
    },
    /** An operator asks. The returned function takes the kind of the answer. */
    asking({ orderId, type, by, corrections = [], priority }: Command): (answer: string) => void {
      const first = stored.length;
      return (answer) => {
        if (answer !== 'done') return;
        const isStored = stored.slice(first).some(({ after }) => {
          const entry = after.history.at(-1);
          if (after.orderId !== orderId || entry?.type !== type || entry.by !== by) return false;
          if (entry.type === 'resubmit') return isSame(entry.corrections, corrections);
          return entry.type !== 'reprioritise' || entry.priority === priority;
        });
        if (!isStored) breach('R13', `the ${type} of ${orderId} is done, and no record has it`);
      };
    },
  };
}
