/**
 * What submitters and operators are told, derived from a committed change and nothing else, so that
 * no second write has to be trusted (docs/design.md, "Lost messages").
 */

import { type AttemptSummary, attemptSummaryOf } from './attempt-summary.ts';
import type { OrderId, WorkflowName } from './ids.ts';
import type { Direction, OrderFault, Priority, ProcessRecord, ProcessState } from './record.ts';

/** An order's process state changed. */
export interface Change {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly workflowVersion: number;
  /** The record's revision: increases with every change of an order. */
  readonly sequence: number;
  readonly previousState: ProcessState | null;
  readonly processState: ProcessState;
  readonly direction: Direction;
  readonly fault: OrderFault | null;
  /** Of an order that came to Error by a call; else null. */
  readonly tried: AttemptSummary | null;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly at: number;
}

/** Null when the process state is what it was. */
export function changeOf(previousState: ProcessState | null, record: ProcessRecord): Change | null {
  if (previousState === record.processState) return null;
  const { orderId, workflow, workflowVersion, processState, direction } = record;
  const { fault, priority, tenant, replyTo, correlationId } = record;
  return {
    orderId,
    workflow,
    workflowVersion,
    sequence: record.revision,
    previousState,
    processState,
    direction,
    fault,
    tried: attemptSummaryOf(record),
    priority,
    tenant,
    replyTo,
    correlationId,
    at: record.updatedAt,
  };
}

/** The change's name: the same each time it is told, and no other's. */
export function statusId({ orderId, sequence }: Pick<Change, 'orderId' | 'sequence'>): string {
  return `${orderId}-${sequence}`;
}

/** Whom a change can concern. */
export const audiences = ['submitter', 'operator'] as const;
export type Audience = (typeof audiences)[number];

/** Who is to be told of the change (R17, R18). */
export function audienceOf(change: Change): readonly Audience[] {
  return audiences.filter((audience) =>
    audience === 'submitter' ? change.replyTo !== null : change.processState === 'Error',
  );
}

/** One audience's share of a change: it is delivered, and tried again, by itself. */
export interface Notification {
  readonly audience: Audience;
  readonly change: Change;
}

export function notificationsOf(change: Change): readonly Notification[] {
  return audienceOf(change).map((audience) => ({ audience, change }));
}

/** Its name: the same each time it is delivered, and no other's. */
export function notificationId({ audience, change }: Notification): string {
  return `${statusId(change)}-${audience}`;
}

/** Whether anybody is to be told of the change. */
export function hasAudience(change: Change): boolean {
  return audienceOf(change).length > 0;
}
