/** The operator: what a person may do to an order. */
import type { IgnoredReason } from '#core/decide.ts';
import type { RecordEvent } from '#core/event.ts';
import type { OrderId } from '#core/ids.ts';
import type { ProcessRecord } from '#core/record.ts';
import type { Transitions } from './transitions.ts';

export type OperatorOutcome =
  | { readonly kind: 'done'; readonly record: ProcessRecord }
  | { readonly kind: 'refused'; readonly reason: IgnoredReason; readonly record: ProcessRecord }
  | { readonly kind: 'unknown-order' };

export interface Operator {
  /** `by`: who asks; kept in the history. `ifRevision`: refused as `changed` at any other one. */
  resubmit(orderId: OrderId, by: string, ifRevision?: number): Promise<OperatorOutcome>;
  cancel(orderId: OrderId, by: string, ifRevision?: number): Promise<OperatorOutcome>;
}

export function operator(transitions: Transitions): Operator {
  const request = async (orderId: OrderId, event: RecordEvent): Promise<OperatorOutcome> => {
    const [outcome] = await transitions.apply([{ orderId, event: () => event }]);
    switch (outcome?.kind) {
      case 'committed':
        return { kind: 'done', record: outcome.record };
      case 'ignored':
        return { kind: 'refused', reason: outcome.reason, record: outcome.record };
      case 'failed':
        throw outcome.error;
      case 'unknown-order':
      case undefined:
        return { kind: 'unknown-order' };
    }
  };
  const ifAt = (ifRevision: number | undefined) => ifRevision !== undefined && { ifRevision };
  return {
    resubmit: (orderId, by, ifRevision) =>
      request(orderId, { type: 'resubmit', by, ...ifAt(ifRevision) }),
    cancel: (orderId, by, ifRevision) =>
      request(orderId, { type: 'cancel', by, ...ifAt(ifRevision) }),
  };
}
