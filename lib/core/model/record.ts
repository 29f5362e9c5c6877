/**
 * The process record: everything Reeve knows of an order's progress, in one item
 * (docs/design.md, "Process record").
 *
 * Each variant has only the fields that mean something in it, so that a Pending order with a lock
 * or a Completed step without an output cannot be written down. What can be derived (when the order
 * is due, when it may be deleted) is derived: see due.ts.
 */
import type { Extensible, UnknownAttributes } from './extension.ts';
import type { Fault } from './fault.ts';
import type { HistoryEntry } from './history.ts';
import type {
  Action,
  AgentName,
  OrderId,
  SchedulerId,
  StepName,
  WorkflowName,
  WriteId,
} from './ids.ts';
import type { JsonValue } from './json.ts';

export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const processStates = ['Pending', 'Processing', 'Processed', 'Error', 'Undone'] as const;
export type ProcessState = (typeof processStates)[number];

export const directions = ['forward', 'undo'] as const;
export type Direction = (typeof directions)[number];

/** The fault that stopped an order or turned it back, and the step and action it befell, if one. */
export interface OrderFault extends Fault {
  readonly step: StepName | null;
  readonly action: Action | null;
}

/** What happens when a step cannot be done: wait for a person, or undo what was done. */
export const remedies = ['hold', 'undo'] as const;
export type Remedy = (typeof remedies)[number];

/** A step's policy, copied into the record at submission, so that recovery needs no definition. */
export interface StepPolicy extends Extensible {
  /** Time from dispatch to complete-by, ms. */
  readonly completeWithinMs: number;
  /** With heartbeats, complete-by moves on, but an attempt never lasts longer than this, ms. */
  readonly maxDurationMs: number;
  /** Further attempts after the first one timed out, before a cool-down. */
  readonly retries: number;
  /** The wait before the next round of attempts, ms. */
  readonly coolDownMs: number;
  /** How many such rounds follow the first. */
  readonly coolDownTimes: number;
  /** When the agent reports a non-transient fault. */
  readonly onFault: Remedy;
  /** When no attempt and no cool-down is left. */
  readonly onExhausted: Remedy;
  /** Once Completed, the order can only go forward. */
  readonly irreversible: boolean;
}

export interface NotStarted extends Extensible {
  readonly state: 'NotStarted';
}
export interface Running extends Extensible {
  readonly state: 'Running';
  readonly completeBy: number;
  /** No heartbeat moves complete-by past this instant. */
  readonly endBy: number;
}
export interface Completed extends Extensible {
  readonly state: 'Completed';
  readonly output: JsonValue;
}
export interface Failed extends Extensible {
  readonly state: 'Failed';
  readonly fault: Fault;
}
export interface Skipped extends Extensible {
  readonly state: 'Skipped';
}
/** What a step was before its undo began, and is again when a try of the undo failed. */
export type Undoable = NotStarted | Completed | Failed;
export interface Undoing extends Extensible {
  readonly state: 'Undoing';
  readonly completeBy: number;
  readonly endBy: number;
  readonly before: Undoable;
}
export interface Undone extends Extensible {
  readonly state: 'Undone';
  readonly before: Undoable;
}

export type StepProgress = NotStarted | Running | Completed | Failed | Skipped | Undoing | Undone;
export type StepState = StepProgress['state'];

export interface StepRecord extends Extensible {
  readonly name: StepName;
  readonly agent: AgentName;
  readonly policy: StepPolicy;
  /** The fencing number: +1 at every dispatch, of perform and undo alike. */
  readonly attempt: number;
  /** Attempts of the present action that timed out since the last resubmit. */
  readonly failures: number;
  readonly keyGeneration: number;
  /**
   * The latest complete-by of a perform that is not known to have had no effect; null when there is
   * none. Until then an agent may still be at work, so no undo starts before it.
   */
  readonly doubtUntil: number | null;
  readonly progress: StepProgress;
}

interface Common {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly workflowVersion: number;
  /** Of the definition the order was submitted under: another one under the same version parks it. */
  readonly fingerprint: string;
  readonly failureCount: number;
  readonly direction: Direction;
  /** In the order of the definition's steps. */
  readonly steps: readonly StepRecord[];
  readonly fault: OrderFault | null;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  /** The submitter's own name for it: told with every status and alert, and never acted on. */
  readonly correlationId: string | null;
  /** No claim before this instant. */
  readonly notBefore: number;
  readonly revision: number;
  /** Of the write that stored this revision, so that its writer can recognise it (R12). */
  readonly writeId: WriteId;
  readonly history: readonly HistoryEntry[];
  readonly submittedAt: number;
  readonly updatedAt: number;
  /** Attributes that a newer release stored; never empty. */
  readonly unknown?: UnknownAttributes;
}

export interface PendingRecord extends Common {
  readonly processState: 'Pending';
  readonly lockedBy: null;
  /** Null only until the first claim. */
  readonly completeBy: number | null;
}
export interface ProcessingRecord extends Common {
  readonly processState: 'Processing';
  readonly lockedBy: SchedulerId;
  readonly completeBy: number;
}
export interface ErrorRecord extends Common {
  readonly processState: 'Error';
  readonly lockedBy: null;
  /** Of the steps that were still running when the order was stopped. */
  readonly completeBy: number | null;
  readonly fault: OrderFault;
}
export interface EndedRecord extends Common {
  readonly processState: 'Processed' | 'Undone';
  readonly lockedBy: null;
  readonly completeBy: null;
}

export type ProcessRecord = PendingRecord | ProcessingRecord | ErrorRecord | EndedRecord;

/** The immutable half of an order: the document as it was submitted. */
export interface Order {
  readonly orderId: OrderId;
  readonly details: JsonValue;
  /** Of the whole submission; tells a repeated submission from another one under the same key. */
  readonly digest: string;
  readonly submittedAt: number;
}

/** Under way: a call is out and may be answered. */
export type UnderWay = Running | Undoing;

export function underWay(progress: StepProgress): progress is UnderWay {
  return progress.state === 'Running' || progress.state === 'Undoing';
}

/** The step of that name, if the order has one. */
export function findStep(
  record: Pick<ProcessRecord, 'steps'>,
  name: StepName,
): StepRecord | undefined {
  return record.steps.find((step) => step.name === name);
}
