/**
 * The mutable copy of a record within one transition. The modules of `decide` change it; `finish` adds
 * the derived fields and returns the next record. It never leaves lib/core.
 */

import { assertThat } from '#core/model/errors.ts';
import { type AgentChoice, appendEntry, type HistoryEntry } from '#core/model/history.ts';
import type { HoldEntry } from '#core/model/hold.ts';
import type { SchedulerId, StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type Command, nudgeOf, timelyNudgeOf } from '#core/model/message.ts';
import {
  type Direction,
  hasHeldStep,
  type OrderDeadline,
  type OrderFault,
  type Priority,
  type ProcessRecord,
  type StepRecord,
  type UnderWay,
} from '#core/model/record.ts';
import { earliestCompleteBy, pickUpBy } from './due.ts';

/** The process state, with its lock or its fault. */
export type LockState =
  | { readonly processState: 'Pending' | 'Processed' | 'Undone' }
  | { readonly processState: 'Error'; readonly fault: OrderFault }
  | { readonly processState: 'Processing'; readonly lockedBy: SchedulerId };

/** The fields without `readonly` are what a transition may change. */
export interface Draft {
  readonly base: ProcessRecord;
  readonly nowMs: number;
  /** The record has no room to go forward. */
  readonly isFull: boolean;
  readonly steps: StepRecord[];
  readonly commands: Command[];
  /** A step was held before this transition, or is held by it. */
  mayHold: boolean;
  /** The steps that gates held in this transition. */
  readonly holds: HoldEntry[];
  /** Those of `holds` that are as they were before this transition. */
  readonly stillHeld: StepName[];
  /** The members of pools that steps were given to in this transition. */
  readonly agents: AgentChoice[];
  lockState: LockState;
  direction: Direction;
  fault: OrderFault | null;
  notBefore: number;
  failureCount: number;
  priority: Priority;
  deadline: OrderDeadline | undefined;
}

/** A draft that equals the record. */
export function draftOf(base: ProcessRecord, nowMs: number, isFull = false): Draft {
  return {
    base,
    nowMs,
    isFull,
    steps: [...base.steps],
    commands: [],
    mayHold: base.isHeld === true,
    holds: [],
    stillHeld: [],
    agents: [],
    lockState: base,
    direction: base.direction,
    fault: base.fault,
    notBefore: base.notBefore,
    failureCount: base.failureCount,
    priority: base.priority,
    deadline: base.deadline,
  };
}

/** Changes one step. */
export function setStep(draft: Draft, at: number, changes: Partial<StepRecord>): void {
  const step = draft.steps[at];
  assertThat(step !== undefined, `the order has a step number ${at}`);
  draft.steps[at] = { ...step, ...changes };
}

/** The step before this attempt: the next attempt starts from there. */
export function withoutAttempt(progress: UnderWay): StepRecord['progress'] {
  return progress.state === 'Running' ? { state: 'NotStarted' } : progress.before;
}

/** Stops the order until an operator resubmits or cancels it. */
export function park(draft: Draft, fault: OrderFault): void {
  draft.fault = fault;
  draft.lockState = { processState: 'Error', fault };
}

/** Releases the lock: any Scheduler may claim the order from `notBefore` on, and is asked to then. */
export function release(draft: Draft, notBefore: number): void {
  draft.lockState = { processState: 'Pending' };
  draft.notBefore = notBefore;
  nudgeInTime(draft);
}

/** Requests a claim for when the order may be claimed. */
export function nudgeInTime(draft: Draft): void {
  const timely = timelyNudgeOf(nudged(draft), draft.notBefore, draft.nowMs);
  if (timely !== null) draft.commands.push({ kind: 'nudge', nudge: timely });
}

/**
 * Requests the claim that ends a long wait, once a message can be delayed until then. A sweep that looks ahead finds only orders
 * that were last written when their wait was longer than that: after this write it does not.
 */
export function nudgeWhereNear(draft: Draft): void {
  const { base, commands, lockState, notBefore, nowMs } = draft;
  const goesOn = base.processState === 'Pending' && lockState.processState === 'Pending';
  if (!goesOn || notBefore !== base.notBefore || notBefore <= nowMs) return;
  if (notBefore - base.updatedAt <= limits.messageDelayMaxMs) return;
  if (commands.every(({ kind }) => kind !== 'nudge')) nudgeInTime(draft);
}

/** Requests a claim. */
export function nudge(draft: Draft): void {
  draft.commands.push({ kind: 'nudge', nudge: nudgeOf(nudged(draft)) });
}

const nudged = ({ base: { orderId, tenant }, priority }: Draft) => ({ orderId, priority, tenant });

/** The next record, with its derived fields and the new history entry. */
export function finish(draft: Draft, entry: HistoryEntry): ProcessRecord {
  const { base, deadline, mayHold, steps } = draft;
  const record = withoutOptions(draft, entry);
  // Most records have no optional field, and a spread costs more than all others.
  const { turn, document, unknown } = base;
  const isPlain = turn === undefined && document === undefined && unknown === undefined;
  if (isPlain && deadline === undefined && !mayHold) return record;
  return {
    ...record,
    ...(deadline !== undefined && { deadline }),
    ...(mayHold && hasHeldStep(steps) && heldMark),
    ...(turn !== undefined && { turn }),
    ...(document !== undefined && { document }),
    ...(unknown !== undefined && { unknown }),
  };
}

const heldMark = { isHeld: true } as const;

function withoutOptions(draft: Draft, entry: HistoryEntry): ProcessRecord {
  const { base, nowMs, lockState } = draft;
  const common = {
    orderId: base.orderId,
    workflow: base.workflow,
    workflowVersion: base.workflowVersion,
    fingerprint: base.fingerprint,
    failureCount: draft.failureCount,
    direction: draft.direction,
    steps: draft.steps,
    fault: draft.fault,
    priority: draft.priority,
    tenant: base.tenant,
    replyTo: base.replyTo,
    correlationId: base.correlationId,
    notBefore: draft.notBefore,
    revision: base.revision + 1,
    writeId: base.writeId,
    history: appendEntry(base.history, entry),
    submittedAt: base.submittedAt,
    updatedAt: nowMs,
  };
  const running = earliestCompleteBy(draft.steps);
  switch (lockState.processState) {
    case 'Pending': {
      const completeBy = running ?? pickUpBy(draft.notBefore, nowMs);
      return { ...common, processState: 'Pending', lockedBy: null, completeBy };
    }
    case 'Processing':
      assertThat(running !== null, 'an order is Processing only while a call is in flight');
      return {
        ...common,
        processState: 'Processing',
        lockedBy: lockState.lockedBy,
        completeBy: running,
      };
    case 'Error':
      return {
        ...common,
        processState: 'Error',
        lockedBy: null,
        completeBy: running,
        fault: lockState.fault,
      };
    case 'Processed':
    case 'Undone':
      return { ...common, processState: lockState.processState, lockedBy: null, completeBy: null };
  }
}
