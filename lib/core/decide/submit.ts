/** The first revision of an order. */

import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Submit } from '#core/model/event.ts';
import type { WriteId } from '#core/model/ids.ts';
import { type Command, timelyNudgeOf } from '#core/model/message.ts';
import type { OrderTurn, PendingRecord, ProcessRecord } from '#core/model/record.ts';

/**
 * A new order is Pending and unlocked; it is due when it may be claimed later, or stays unclaimed for `pickUpGraceMs`.
 *
 * @param turn its place among the orders with its singleton key; default: it has none
 */
export function submitted(
  event: Submit,
  definition: WorkflowDefinition,
  nowMs: number,
  writeId: WriteId,
  turn?: OrderTurn,
): { readonly record: PendingRecord; readonly commands: readonly Command[] } {
  const { by, orderId, priority, tenant, replyTo, correlationId } = event;
  const notBefore = Math.max(nowMs, event.notBefore ?? nowMs);
  const isDelayed = notBefore > nowMs;
  const { deadline } = definition;
  const record: PendingRecord = {
    orderId,
    workflow: definition.name,
    workflowVersion: definition.version,
    fingerprint: definition.fingerprint,
    processState: 'Pending',
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    direction: 'forward',
    steps: definition.steps.map(({ name, agent, policy }) => ({
      name,
      agent,
      policy,
      attempt: 0,
      failures: 0,
      keyGeneration: 1,
      doubtUntil: null,
      progress: { state: 'NotStarted' },
    })),
    fault: null,
    priority,
    tenant,
    replyTo,
    correlationId,
    notBefore,
    revision: 1,
    writeId,
    history: [{ type: 'submit', at: nowMs, by, ...(isDelayed && { notBefore }) }],
    submittedAt: nowMs,
    updatedAt: nowMs,
    ...(deadline !== undefined && {
      deadline: { lateAt: nowMs + deadline.completeWithinMs, onLate: deadline.onLate },
    }),
    ...(turn !== undefined && { turn }),
  };
  return { record, commands: firstCommands(record, nowMs) };
}

/** Asks for the first claim of an order, when it may be claimed. */
export function firstCommands(record: ProcessRecord, nowMs: number): readonly Command[] {
  const nudge = timelyNudgeOf(record, record.notBefore, nowMs);
  return nudge === null ? [] : [{ kind: 'nudge', nudge }];
}
