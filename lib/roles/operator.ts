/** The operator role: resubmits, cancels and reprioritises orders. */

import type { FieldError } from '#core/codec/field-errors.ts';
import type { IgnoredReason } from '#core/decide/decide.ts';
import type { Correction } from '#core/model/correction.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import type { Transitions } from './transitions/transitions.ts';

/** The result of an operator's request. */
export type OperatorOutcome =
  | { readonly kind: 'done'; readonly record: ProcessRecord }
  | {
      readonly kind: 'refused';
      readonly reason: IgnoredReason;
      readonly record: ProcessRecord;
      /** The fields of the corrections that are refused. */
      readonly errors: readonly FieldError[];
    }
  | { readonly kind: 'unknown-order' };

/** Conditions of an operator's request. */
export interface OperatorOptions {
  /** Refused as `changed` when the order has another revision. Default: any revision. */
  readonly ifRevision?: number;
  /** An order of another tenant is `unknown-order`. Default: any tenant. */
  readonly tenant?: string;
}

/** Conditions and corrections of a resubmit. */
export interface ResubmitOptions extends OperatorOptions {
  /** Changes to details that only steps not yet done use. Default: none. */
  readonly corrections?: readonly Correction[];
}

/** Each method rejects with the error of the store when the order could not be read or written. */
export interface Operator {
  /** @param by who requests it; stored in the history */
  resubmit(orderId: OrderId, by: string, options?: ResubmitOptions): Promise<OperatorOutcome>;
  cancel(orderId: OrderId, by: string, options?: OperatorOptions): Promise<OperatorOutcome>;
  /** Calls in flight continue; what waits moves to the queues of the new class. */
  reprioritise(
    orderId: OrderId,
    by: string,
    priority: Priority,
    options?: OperatorOptions,
  ): Promise<OperatorOutcome>;
}

/** Makes the operator role. */
export function operator(transitions: Transitions): Operator {
  const request = async (orderId: OrderId, event: RecordEvent): Promise<OperatorOutcome> => {
    const reads = event.type === 'reprioritise' ? 'record' : 'all';
    const [outcome] = await transitions.apply([{ orderId, event: () => event, reads }]);
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
    reprioritise: (orderId, by, priority, options) =>
      request(orderId, { type: 'reprioritise', by, priority, ...options }),
  };
}
