/** Documents of the API from records: instants in ISO 8601, steps by name. */

import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { Fault } from '#core/model/fault.ts';
import type { AgentChoice, HistoryEntry } from '#core/model/history.ts';
import type { HoldEntry } from '#core/model/hold.ts';
import type { JsonValue } from '#core/model/json.ts';
import { callPolicy, type StepPolicy } from '#core/model/policy.ts';
import {
  isUndoneFirst,
  type Order,
  type OrderTurn,
  type ProcessRecord,
  type StepProgress,
  type StepRecord,
  underWay,
} from '#core/model/record.ts';
import { callsOf } from '#core/view/calls.ts';
import { nextActions } from '#core/view/next-actions.ts';
import { type Redaction, redaction } from '#core/view/redaction.ts';
import type { HistoryDocument } from './history-schemas.ts';
import type { ListedDocument, OrderDocument, SummaryDocument } from './schemas.ts';
import type { WorkflowsDocument } from './service-schemas.ts';
import { shownInputs } from './shown-inputs.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

function summaryView(record: ProcessRecord): SummaryDocument {
  const { orderId, workflow, workflowVersion, processState, direction, fault } = record;
  const { priority, tenant, correlationId, revision } = record;
  return {
    orderId,
    workflow,
    workflowVersion,
    processState,
    direction,
    fault,
    priority,
    tenant,
    correlationId,
    revision,
    submittedAt: iso(record.submittedAt),
    updatedAt: iso(record.updatedAt),
    actions: nextActions(record),
  };
}

/** An order in a listing, with what it waits for. */
export function listedView(record: ProcessRecord): ListedDocument {
  const held = record.steps.flatMap(({ name, agent, progress }) => {
    if (progress.state !== 'Held') return [];
    const { gate, since, until } = progress;
    return [{ step: name, agent, gate, since: iso(since), until: iso(until) }];
  });
  return { ...summaryView(record), ...(held.length > 0 && { held }) };
}

/** Redacts the values that the workflow marks as sensitive. */
export function orderView(
  record: ProcessRecord,
  order: Order,
  registry: WorkflowRegistry,
): OrderDocument {
  const definition = registry.of(record);
  const known = definition === undefined ? null : { definition, details: order.details };
  const shown = redaction(record, known);
  const inputs = shownInputs(record, shown);
  const { calls, waits } = callsOf(record, known);
  return {
    ...summaryView(record),
    fault: record.fault && shown.fault(record.fault),
    lockedBy: record.lockedBy,
    completeBy: isoOrNull(record.completeBy),
    failureCount: record.failureCount,
    replyTo: record.replyTo,
    notBefore: iso(record.notBefore),
    deadline: record.deadline
      ? { lateAt: iso(record.deadline.lateAt), onLate: record.deadline.onLate }
      : null,
    turn: record.turn ? turnView(record.turn) : null,
    steps: Object.fromEntries(
      record.steps.map((step) => [
        step.name,
        stepView(record, step, shown, inputs.get(step.name) ?? null),
      ]),
    ),
    history: record.history.map((entry) =>
      historyView('fault' in entry ? { ...entry, fault: shown.fault(entry.fault) } : entry),
    ),
    calls: calls.map((call) => ({ ...call, from: isoOrNull(call.from), to: isoOrNull(call.to) })),
    waits: waits.map((wait) => ({ ...wait, from: iso(wait.from), to: iso(wait.to) })),
    details: shown.details,
  };
}

const turnView = ({ behind, replaces, since }: OrderTurn): NonNullable<OrderDocument['turn']> => ({
  behind: behind ?? null,
  replaces: replaces === true,
  since: isoOrNull(since ?? null),
});

export function historyView(entry: HistoryEntry): HistoryDocument {
  const { at, tail: _, ...rest } = entry;
  switch (rest.type) {
    case 'expired':
      return { at: iso(at), ...rest, steps: [...rest.steps] };
    case 'interrupted':
      return { at: iso(at), ...rest, steps: [...rest.steps], notBefore: iso(rest.notBefore) };
    case 'submit': {
      const { type, by, notBefore } = rest;
      return {
        at: iso(at),
        type,
        ...(by !== null && { by }),
        ...(notBefore !== undefined && { notBefore: iso(notBefore) }),
      };
    }
    case 'claim':
    case 'resume':
    case 'held':
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat':
    case 'deferred':
    case 'stepFailed':
    case 'undoFailed': {
      const { holds = [], agents = [], ...known } = rest;
      const given = agents.filter(
        ({ step, undoFirst }) => undoFirst || !holds.some((hold) => hold.step === step),
      );
      return {
        at: iso(at),
        ...known,
        ...(holds.length > 0 && { holds: holds.map((hold) => holdView(hold, agents)) }),
        ...(given.length > 0 && { agents: given }),
      };
    }
    case 'cancel':
    case 'reprioritise':
    case 'shortened':
      return { at: iso(at), ...rest };
    case 'unknown':
      return { at: iso(at), type: rest.type };
    case 'resubmit': {
      const { type, by, corrections } = rest;
      return { at: iso(at), type, by, corrected: corrections.map(({ field }) => field) };
    }
  }
}

/** @param agents the members of pools that the entry names */
function holdView(
  { step, gate, since, until }: HoldEntry,
  agents: readonly AgentChoice[],
): NonNullable<HistoryDocument['holds']>[number] {
  const member = agents.find((choice) => choice.step === step);
  return {
    step,
    gate,
    since: iso(since),
    until: iso(until),
    ...(member !== undefined && { agent: member.agent }),
  };
}

export function workflowsView(registry: WorkflowRegistry): WorkflowsDocument {
  return {
    workflows: registry.all.map(
      ({ name, version, fingerprint, deadline = null, singleton, steps }) => ({
        name,
        version,
        fingerprint,
        deadline,
        singleton: singleton?.else ?? null,
        debounce: singleton?.debounce ?? null,
        steps: steps.map(({ name: step, agent, pool, failover, after, when, undo, policy }) => ({
          name: step,
          agent,
          ...(failover === 'undo-first' && { failover }),
          ...(pool !== undefined && {
            pool: pool.map(({ agent: member, domain, weight }) => ({
              agent: member,
              domain,
              weight,
            })),
          }),
          after: [...after],
          conditional: when !== null,
          undo,
          policy: policyView(policy),
        })),
      }),
    ),
  };
}

function stepView(
  { direction }: ProcessRecord,
  step: StepRecord,
  shown: Redaction,
  input: JsonValue,
): OrderDocument['steps'][string] {
  const { agent, attempt, failures, doubtUntil, progress } = step;
  const fault = faultOf(progress);
  return {
    state: progress.state,
    agent,
    attempt,
    failures,
    inDoubt: doubtUntil !== null && progress.state !== 'Running',
    completeBy: underWay(progress) ? iso(progress.completeBy) : null,
    input,
    output: shown.output(step),
    fault: fault && shown.fault(fault),
    held:
      progress.state === 'Held'
        ? { gate: progress.gate, since: iso(progress.since), until: iso(progress.until) }
        : null,
    ...(direction === 'forward' && isUndoneFirst(step) && { undoFirst: true }),
    policy: policyView(step.policy),
  };
}

function policyView(policy: StepPolicy): OrderDocument['steps'][string]['policy'] {
  const { tail: _, undo: __, ...own } = policy;
  if (policy.irreversible) return { ...own, undo: null };
  const { tail: ___, ...undo } = callPolicy(policy, 'undo');
  return { ...own, undo };
}

function faultOf(progress: StepProgress): Fault | null {
  if (progress.state === 'Failed') return progress.fault;
  return 'before' in progress ? faultOf(progress.before) : null;
}
