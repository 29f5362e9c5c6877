/**
 * Notifications of submitters and operators. They are derived from a committed change alone, so that
 * no second write is needed (docs/design.md, "Lost messages").
 */

import { type AttemptSummary, attemptSummaryOf } from './attempts/attempt-summary.ts';
import type { OrderId, WorkflowName } from './ids.ts';
import type { Direction, OrderFault, Priority, ProcessRecord, ProcessState } from './record.ts';

/** A change of the process state of an order. */
export interface Change {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly workflowVersion: number;
  /** The revision of the record, which increases with every change of the order. */
  readonly sequence: number;
  /** Null for a new order. */
  readonly previousState: ProcessState | null;
  readonly processState: ProcessState;
  readonly direction: Direction;
  readonly fault: OrderFault | null;
  /** The attempts before a call brought the order to Error; null for other changes. */
  readonly tried: AttemptSummary | null;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly at: number;
}

/** The change that this record is; null when the process state is the same as before. */
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

/** A unique id of the change, the same for every delivery. */
export function statusId({ orderId, sequence }: Pick<Change, 'orderId' | 'sequence'>): string {
  return `${orderId}-${sequence}`;
}

/** The receivers of notifications. */
export const audiences = ['submitter', 'operator'] as const;
/** See {@link audiences}. */
export type Audience = (typeof audiences)[number];

/** The audiences that must be notified of the change (R17, R18). */
export function audienceOf(change: Change): readonly Audience[] {
  return audiences.filter((audience) =>
    audience === 'submitter' ? change.replyTo !== null : change.processState === 'Error',
  );
}

/** A change for one audience, delivered and retried independently of other audiences. */
export interface Notification {
  readonly audience: Audience;
  readonly change: Change;
}

/** One notification for each audience of the change. */
export function notificationsOf(change: Change): readonly Notification[] {
  return audienceOf(change).map((audience) => ({ audience, change }));
}

/** A unique id of the notification, the same for every delivery. */
export function notificationId({ audience, change }: Notification): string {
  return `${statusId(change)}-${audience}`;
}

/** Whether the change needs any notification. */
export function hasAudience(change: Change): boolean {
  return audienceOf(change).length > 0;
}
