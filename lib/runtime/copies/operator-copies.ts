/** What passes between those who operate a Reeve in this process and the records of orders, as copies. */
import type { Operator, OperatorOutcome } from '#roles/operator.ts';
import { jsonCopy, plainCopy } from './json-copy.ts';

/** The same operator. Corrections are stored as they are when they are given, and the record of an outcome is the caller's own. */
export function copyingOperator(operator: Operator): Operator {
  const copied = async (outcome: Promise<OperatorOutcome>) => plainCopy(await outcome);
  return {
    resubmit: (orderId, by, options) =>
      copied(operator.resubmit(orderId, by, options && jsonCopy(options))),
    cancel: (orderId, by, options) => copied(operator.cancel(orderId, by, options)),
    reprioritise: (orderId, by, priority, options) =>
      copied(operator.reprioritise(orderId, by, priority, options)),
  };
}
