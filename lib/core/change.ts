/**
 * What submitters and operators are told, derived from a committed change and nothing else, so that
 * no second write has to be trusted (DESIGN §4).
 */
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
    priority,
    tenant,
    replyTo,
    correlationId,
    at: record.updatedAt,
  };
}

/** Whether anybody is to be told of the change: its submitter, or an operator (R17, R18). */
export function hasAudience(change: Change): boolean {
  return change.replyTo !== null || change.processState === 'Error';
}
