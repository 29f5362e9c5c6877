/**
 * The only function that changes a process record. Every role calls it, writes the result on condition
 * of `revision`, and sends the commands after that write.
 *
 * It does no I/O and reads neither a clock nor randomness. Whether a reply counts depends on the attempt
 * of its step, not on the state of the order (R6). An event that does not count is ignored with a reason.
 */

import type { FieldError } from '#core/codec/field-errors.ts';
import type {
  AgentEvent,
  Cancel,
  Claim,
  RecordEvent,
  Reprioritise,
  Resubmit,
} from '#core/model/event.ts';
import { type HistoryEntry, shortened } from '#core/model/history.ts';
import type { HoldEntry } from '#core/model/hold.ts';
import type { StepName } from '#core/model/ids.ts';
import type { Command } from '#core/model/message.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import { claim, continueOrder } from './claim.ts';
import { type Draft, draftOf, finish, nudgeWhereNear, park } from './draft.ts';
import { heldUntil } from './due.ts';
import {
  type CancelRefusal,
  type CorrectionRefusal,
  cancel,
  cancelRefusal,
  correctionRefusal,
  type ReprioritiseRefusal,
  type ResubmitRefusal,
  reprioritise,
  reprioritiseRefusal,
  resubmit,
  resubmitRefusal,
} from './operator/operator-commands.ts';
import { validatedCorrections } from './operator/validate-corrections.ts';
import { expired, interrupted } from './recovery.ts';
import {
  answers,
  deferred,
  heartbeat,
  stepFailed,
  stepSucceeded,
  undoFailed,
  undoSucceeded,
} from './replies.ts';
import { hasRoom, outputTooLarge, recordTooLarge } from './room.ts';
import { settleHolds, waitsForGates } from './settle-holds.ts';
import type { OrderContext } from './start-step.ts';

/** Why an event changes nothing. Logs and API errors carry it. */
export type IgnoredReason =
  | 'not-pending'
  | 'not-before'
  | 'not-processing'
  | 'not-held'
  | 'still-held'
  | 'not-due'
  | 'other-tenant'
  | 'changed'
  | 'unknown-step'
  | 'other-agent'
  | 'other-attempt'
  | 'not-under-way'
  | 'too-late'
  | 'left-alone'
  | 'too-soon'
  | 'correction-refused'
  | 'record-full'
  | 'same-priority'
  | ResubmitRefusal
  | CorrectionRefusal
  | CancelRefusal
  | ReprioritiseRefusal;

/** The next revision of a record, and the messages to send once it is stored. */
export interface Transition {
  readonly kind: 'transition';
  readonly record: ProcessRecord;
  readonly commands: readonly Command[];
}

/** What an event does to an order. */
export type Decision =
  | Transition
  | {
      readonly kind: 'ignored';
      readonly reason: IgnoredReason;
      /** Why corrections were refused; only for `correction-refused`. */
      readonly errors?: readonly FieldError[];
    };

/**
 * @param known the definition and details of the order. Null when the definition is unknown, and for
 *   events that need none (all but `claim`, replies, and `resubmit` with corrections)
 */
export function decide(
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
  nowMs: number,
): Decision {
  const decision = decideOn(draftOf(record, nowMs), event, known);
  if (decision.kind === 'ignored' || hasRoom(event, decision.record)) return decision;
  const short = withShortenedHistory(decision);
  return hasRoom(event, short.record) ? short : decideFull(record, event, known, nowMs);
}

/** For a result that exceeds the size limit also with a short history: the order stops while the record has room for that. */
function decideFull(
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
  nowMs: number,
): Decision {
  const full = decideStopping(record, event, known, nowMs);
  if (full.kind === 'ignored' || hasRoom(event, full.record)) return full;
  if (event.type === 'stepSucceeded') {
    const { type: _, output: __, ...from } = event;
    const failed = { type: 'stepFailed', ...from, fault: outputTooLarge } as const;
    return decide(record, failed, known, nowMs);
  }
  const short = withShortenedHistory(full);
  if (hasRoom(event, short.record)) return short;
  // An older release allowed larger records: only the store can say whether this one fits.
  return event.type === 'resubmit' ? ignored('record-full') : full;
}

/**
 * For a result of `decide` that the store refused: the smallest record of the same event, in which the
 * order stops or is undone.
 */
export function decideShortened(
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
  nowMs: number,
): Decision {
  const full = decideStopping(record, event, known, nowMs);
  return full.kind === 'ignored' ? full : withShortenedHistory(full);
}

function decideStopping(
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
  nowMs: number,
): Decision {
  // Without the heartbeat the attempt times out, which policies handle; and no order needs another priority to end.
  if (event.type === 'heartbeat' || event.type === 'reprioritise') return ignored('record-full');
  return decideOn(draftOf(record, nowMs, event.type !== 'resubmit'), event, known);
}

function withShortenedHistory(transition: Transition): Transition {
  const { record } = transition;
  return { ...transition, record: { ...record, history: shortened(record.history) } };
}

function decideOn(draft: Draft, event: RecordEvent, known: OrderContext | null): Decision {
  const { base: record, nowMs } = draft;
  switch (event.type) {
    case 'claim':
      if (record.processState !== 'Pending') return ignored('not-pending');
      if (record.notBefore > nowMs && !waitsForGates(record)) return ignored('not-before');
      claim(draft, event, known);
      return claimed(draft, event, known);
    case 'resume':
      if (record.processState !== 'Processing') return ignored('not-processing');
      if (record.isHeld === undefined) return ignored('not-held');
      continueOrder(draft, known);
      return transition(draft, { type: 'resume', ...decided(draft, known), by: event.by });
    case 'stepSucceeded':
    case 'stepFailed':
    case 'undoSucceeded':
    case 'undoFailed':
    case 'heartbeat':
    case 'deferred':
      return decideReply(draft, event, known);
    case 'expired': {
      const found = expired(draft);
      if (found === null) return ignored('not-due');
      return transition(draft, { type: 'expired', at: nowMs, ...found });
    }
    case 'interrupted': {
      const found = interrupted(draft, event);
      if (found === null) return ignored('not-due');
      const { reason, notBefore } = event;
      return transition(draft, { type: 'interrupted', at: nowMs, reason, notBefore, ...found });
    }
    case 'resubmit':
    case 'cancel':
    case 'reprioritise':
      return decideOperator(draft, event, known);
  }
}

const decided = ({ nowMs: at }: Draft, known: OrderContext | null) => ({
  at,
  definitionUnknown: known === null,
});

/**
 * A claim that finds every ready step held is none: it counts towards no bound (R23). One that asked no gate, because the
 * record has no room, is a claim.
 */
function claimed(draft: Draft, { by }: Claim, known: OrderContext | null): Decision {
  const isHeld =
    draft.commands.length === 0 &&
    draft.holds.length > 0 &&
    draft.lockState.processState === 'Processing' &&
    draft.mayHold &&
    heldUntil(draft.steps) !== null &&
    !draft.steps.some(({ progress }) => underWay(progress));
  const entry = { ...decided(draft, known), by };
  return transition(
    draft,
    isHeld ? { type: 'held', ...entry, times: 1 } : { type: 'claim', ...entry },
  );
}

function decideOperator(draft: Draft, event: ByOperator, known: OrderContext | null): Decision {
  const { base: record, nowMs: at } = draft;
  if (isOfOtherTenant(record, event)) return ignored('other-tenant');
  if (hasChanged(record, event)) return ignored('changed');
  const { by } = event;
  switch (event.type) {
    case 'resubmit': {
      const refusal = resubmitRefusal(record);
      return refusal === null ? decideResubmit(draft, event, known) : ignored(refusal);
    }
    case 'cancel': {
      const refusal = cancelRefusal(draft);
      if (refusal !== null) return ignored(refusal);
      cancel(draft, event);
      return transition(draft, { type: 'cancel', at, by });
    }
    case 'reprioritise': {
      const { priority } = event;
      const refusal = reprioritiseRefusal(record);
      if (refusal !== null) return ignored(refusal);
      if (priority === record.priority) return ignored('same-priority');
      reprioritise(draft, event);
      return transition(draft, { type: 'reprioritise', at, by, priority, from: record.priority });
    }
  }
}

type ByOperator = Resubmit | Cancel | Reprioritise;

const isOfOtherTenant = ({ tenant }: ProcessRecord, event: ByOperator) =>
  event.tenant !== undefined && event.tenant !== tenant;

const hasChanged = ({ revision }: ProcessRecord, { ifRevision }: ByOperator) =>
  ifRevision !== undefined && ifRevision !== revision;

function decideResubmit(
  draft: Draft,
  { by, corrections = [] }: Resubmit,
  known: OrderContext | null,
): Decision {
  const entry = { type: 'resubmit', at: draft.nowMs, by } as const;
  if (corrections.length === 0) {
    resubmit(draft);
    return transition(draft, { ...entry, corrections });
  }
  const refusal = correctionRefusal(draft.base);
  if (refusal !== null) return ignored(refusal);
  const check = validatedCorrections(draft, known, corrections);
  if (check.kind === 'refused') {
    return { kind: 'ignored', reason: 'correction-refused', errors: check.errors };
  }
  resubmit(draft);
  return transition(draft, { ...entry, corrections: check.corrections });
}

function decideReply(draft: Draft, event: AgentEvent, known: OrderContext | null): Decision {
  const at = draft.steps.findIndex((candidate) => candidate.name === event.step);
  const step = draft.steps[at];
  if (step === undefined) return ignored('unknown-step');
  if (step.agent !== event.agent) return ignored('other-agent');
  if (step.attempt !== event.attempt) return ignored('other-attempt');
  const { progress } = step;
  if (!answers(event, progress)) return ignored('not-under-way');
  // A result is never late: it may have waited in its queue, and only a sweep ends an attempt. But another call may have
  // the room of this one in a limit since complete-by, so a heartbeat no longer extends it.
  if (draft.nowMs > progress.completeBy && event.type === 'heartbeat') return ignored('too-late');

  const entry = { ...decided(draft, known), step: event.step, attempt: event.attempt };
  switch (event.type) {
    case 'stepSucceeded':
      stepSucceeded(draft, at, event, known);
      return transition(draft, { ...entry, type: event.type });
    case 'stepFailed':
      stepFailed(draft, at, step, event, known);
      return transition(draft, { ...entry, type: event.type, fault: event.fault });
    case 'undoSucceeded':
      if (progress.state === 'Undoing') undoSucceeded(draft, at, { step, progress }, known);
      return transition(draft, { ...entry, type: event.type });
    case 'undoFailed':
      if (progress.state === 'Undoing') undoFailed(draft, at, step, progress, event);
      return transition(draft, { ...entry, type: event.type, fault: event.fault });
    case 'deferred': {
      deferred(draft, at, event, { progress, known });
      const { gate, retryAfterMs } = event;
      return transition(draft, { ...entry, type: event.type, gate, retryAfterMs });
    }
    case 'heartbeat':
      if (!heartbeat(draft, at, step, progress)) return ignored('too-soon');
      return transition(draft, { ...entry, type: event.type });
  }
}

function transition(draft: Draft, entry: HistoryEntry): Decision {
  if (draft.isFull) parkFull(draft, entry);
  settleHolds(draft);
  nudgeWhereNear(draft);
  return {
    kind: 'transition',
    record: finish(draft, noted(draft, entry)),
    commands: draft.commands,
  };
}

/** With what the gates and the pools of agents said, so that the history replays (R15). */
function noted(draft: Draft, entry: HistoryEntry): HistoryEntry {
  const { holds, stillHeld, agents } = draft;
  if (holds.length === 0 && agents.length === 0) return entry;
  // Claims that find every ready step held are one entry, which has all holds of the last of them.
  const hasAll = stillHeld.length === 0 || entry.type === 'held';
  const isChanged = ({ step }: Pick<HoldEntry, 'step'>) => hasAll || !stillHeld.includes(step);
  const held = holds.filter(isChanged);
  const chosen = agents.filter(isChanged);
  return {
    ...entry,
    ...(held.length > 0 && { holds: held }),
    ...(!hasAll && { begun: begunOf(draft) }),
    ...(chosen.length > 0 && { agents: chosen }),
  };
}

/** The steps that were held before the transition, and of which a call begins. */
const begunOf = ({ base, steps }: Draft): readonly StepName[] =>
  base.steps.flatMap(({ name, progress }, at) => {
    const next = steps[at]?.progress;
    return progress.state === 'Held' && next !== undefined && underWay(next) ? [name] : [];
  });

/** Parks an order that would go forward. An undo continues, because room is reserved for it. */
function parkFull(draft: Draft, entry: HistoryEntry): void {
  const { processState } = draft.lockState;
  if (draft.direction === 'undo' || (processState !== 'Pending' && processState !== 'Processing'))
    return;
  draft.commands.length = 0;
  park(draft, recordTooLarge('step' in entry ? entry.step : null));
}

function ignored(reason: IgnoredReason): Decision {
  return { kind: 'ignored', reason };
}
