/** Records as the API shows them: instants as ISO 8601, steps by name. */

import type { Fault } from '#core/fault.ts';
import type { HistoryEntry } from '#core/history.ts';
import type { JsonValue } from '#core/json.ts';
import {
  type Order,
  type ProcessRecord,
  type StepProgress,
  type StepRecord,
  underWay,
} from '#core/record.ts';
import type { WorkflowRegistry } from '#core/registry.ts';
import type {
  HistoryDocument,
  OrderDocument,
  SummaryDocument,
  WorkflowsDocument,
} from './schemas.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

export function summaryView(record: ProcessRecord): SummaryDocument {
  const { orderId, workflow, workflowVersion, processState, direction, fault } = record;
  const { priority, tenant, revision } = record;
  return {
    orderId,
    workflow,
    workflowVersion,
    processState,
    direction,
    fault,
    priority,
    tenant,
    revision,
    submittedAt: iso(record.submittedAt),
    updatedAt: iso(record.updatedAt),
  };
}

export function orderView(record: ProcessRecord, order: Order): OrderDocument {
  return {
    ...summaryView(record),
    lockedBy: record.lockedBy,
    completeBy: isoOrNull(record.completeBy),
    failureCount: record.failureCount,
    replyTo: record.replyTo,
    notBefore: iso(record.notBefore),
    steps: Object.fromEntries(record.steps.map((step) => [step.name, stepView(step)])),
    history: record.history.map(historyView),
    details: order.details,
  };
}

export function historyView(entry: HistoryEntry): HistoryDocument {
  const { at, ...rest } = entry;
  switch (rest.type) {
    case 'expired':
      return { at: iso(at), ...rest, steps: [...rest.steps] };
    case 'excused':
      return { at: iso(at), ...rest, steps: [...rest.steps], notBefore: iso(rest.notBefore) };
    case 'submit':
    case 'claim':
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat':
    case 'stepFailed':
    case 'undoFailed':
    case 'resubmit':
    case 'cancel':
      return { at: iso(at), ...rest };
  }
}

export function workflowsView(registry: WorkflowRegistry): WorkflowsDocument {
  return {
    workflows: registry.all.map(({ name, version, fingerprint, steps }) => ({
      name,
      version,
      fingerprint,
      steps: steps.map(({ name: step, agent, after, when, undo, policy }) => ({
        name: step,
        agent,
        after: [...after],
        conditional: when !== null,
        undo,
        policy,
      })),
    })),
  };
}

function stepView(step: StepRecord): OrderDocument['steps'][string] {
  const { agent, attempt, failures, doubtUntil, progress, policy } = step;
  return {
    state: progress.state,
    agent,
    attempt,
    failures,
    inDoubt: doubtUntil !== null && progress.state !== 'Running',
    completeBy: underWay(progress) ? iso(progress.completeBy) : null,
    output: outputOf(progress),
    fault: faultOf(progress),
    policy,
  };
}

function outputOf(progress: StepProgress): JsonValue {
  if (progress.state === 'Completed') return progress.output;
  return 'before' in progress ? outputOf(progress.before) : null;
}

function faultOf(progress: StepProgress): Fault | null {
  if (progress.state === 'Failed') return progress.fault;
  return 'before' in progress ? faultOf(progress.before) : null;
}
