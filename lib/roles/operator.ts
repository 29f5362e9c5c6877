/** The operator: what a person may do to an order. */

import type { FieldError } from '#core/codec/field-errors.ts';
import type { IgnoredReason } from '#core/decide/decide.ts';
import type { Correction } from '#core/model/correction.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Transitions } from './transitions.ts';

export type OperatorOutcome =
  | { readonly kind: 'done'; readonly record: ProcessRecord }
  | {
      readonly kind: 'refused';
      readonly reason: IgnoredReason;
      readonly record: ProcessRecord;
      /** Of corrections, field by field. */
      readonly errors: readonly FieldError[];
    }
  | { readonly kind: 'unknown-order' };

export interface OperatorOptions {
  /** Refused as `changed` at any other revision. Default: at whatever revision it is. */
  readonly ifRevision?: number;
  /** An order of any other tenant is `unknown-order`. Default: orders of every tenant. */
  readonly tenant?: string;
}

export interface ResubmitOptions extends OperatorOptions {
  /** Of details that only steps not yet done use. Default: none. */
  readonly corrections?: readonly Correction[];
}

export interface Operator {
  /** `by`: who asks; kept in the history. */
  resubmit(orderId: OrderId, by: string, options?: ResubmitOptions): Promise<OperatorOutcome>;
  cancel(orderId: OrderId, by: string, options?: OperatorOptions): Promise<OperatorOutcome>;
}

export function operator(transitions: Transitions): Operator {
  const request = async (orderId: OrderId, event: RecordEvent): Promise<OperatorOutcome> => {
    const [outcome] = await transitions.apply([{ orderId, event: () => event }]);
    switch (outcome?.kind) {
      case 'committed':
        return { kind: 'done', record: outcome.record };
      case 'ignored':
        if (outcome.reason === 'other-tenant') return { kind: 'unknown-order' };
        return { errors: [], ...outcome, kind: 'refused' };
      case 'failed':
        throw outcome.error;
      case 'unknown-order':
      case undefined:
        return { kind: 'unknown-order' };
    }
  };
  return {
    resubmit: (orderId, by, options) => request(orderId, { type: 'resubmit', by, ...options }),
    cancel: (orderId, by, options) => request(orderId, { type: 'cancel', by, ...options }),
  };
}
