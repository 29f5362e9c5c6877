/**
 * The process record: the progress of an order, in one item (docs/design.md, "Process record"). Instants
 * are ms since the epoch.
 *
 * Each variant has only the fields that are valid in it, so that the compiler refuses a Pending order with
 * a lock and a Completed step without an output. Derived values, such as when the order is due, are in due.ts.
 */
import type { Extensible, UnknownAttributes } from './extension.ts';
import type { Fault } from './fault.ts';
import type { HistoryEntry } from './history.ts';
import type { Gate, GateOfAgent } from './hold.ts';
import type {
  Action,
  AgentName,
  LineName,
  OrderId,
  SchedulerId,
  StepName,
  WorkflowName,
  WriteId,
} from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Remedy, StepPolicy } from './policy.ts';

/** The priority classes, highest first. */
export const priorities = ['high', 'normal', 'low'] as const;
/** See {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** The states of an order; docs/design.md shows the transitions. */
export const processStates = ['Pending', 'Processing', 'Processed', 'Error', 'Undone'] as const;
/** See {@link processStates}. */
export type ProcessState = (typeof processStates)[number];

/** Whether the steps of an order are performed or undone. */
export const directions = ['forward', 'undo'] as const;
/** See {@link directions}. */
export type Direction = (typeof directions)[number];

/** The fault that stopped an order or started its undo. `step` and `action` are null when no call failed. */
export interface OrderFault extends Fault {
  readonly step: StepName | null;
  readonly action: Action | null;
}

/** Not dispatched, or its last attempt was withdrawn. */
export interface NotStarted extends Extensible {
  readonly state: 'NotStarted';
}
/** A perform is in flight. */
export interface Running extends Extensible {
  readonly state: 'Running';
  readonly completeBy: number;
  /** No heartbeat moves complete-by past this instant. */
  readonly endBy: number;
  /** Since when the step was held before; absent when it was not. A deferred attempt continues this hold (R23). */
  readonly heldSince?: number;
}
/** The perform succeeded. */
export interface Completed extends Extensible {
  readonly state: 'Completed';
  readonly output: JsonValue;
}
/** The perform failed permanently, or its attempts are exhausted. */
export interface Failed extends Extensible {
  readonly state: 'Failed';
  readonly fault: Fault;
}
/** Its `when` was false. */
export interface Skipped extends Extensible {
  readonly state: 'Skipped';
}
/** The state before the undo, to which the step returns when an attempt of the undo fails. */
export type Undoable = NotStarted | Completed | Failed;
/** Ready, and not started: the gate of its agent accepts no call. Counts no attempt. */
export interface Held extends Extensible {
  readonly state: 'Held';
  readonly gate: Gate;
  /** Since when, over all tries of the gate; ms since the epoch. */
  readonly since: number;
  /** When the gate is asked again, at the latest. */
  readonly until: number;
  /** The queue in which it waits, see hold.ts. */
  readonly queue?: string;
  /** The previous state, which the step gets again when the order stops or is undone. */
  readonly before: Undoable;
}
/** An undo is in flight. */
export interface Undoing extends Extensible {
  readonly state: 'Undoing';
  readonly completeBy: number;
  readonly endBy: number;
  readonly before: Undoable;
  /** As in {@link Running}. */
  readonly heldSince?: number;
}
/** The undo succeeded. */
export interface Undone extends Extensible {
  readonly state: 'Undone';
  readonly before: Undoable;
}

/** The state of a step, with the data that are valid in it. */
export type StepProgress =
  | NotStarted
  | Held
  | Running
  | Completed
  | Failed
  | Skipped
  | Undoing
  | Undone;
/** The names of the states. */
export type StepState = StepProgress['state'];

/**
 * How far a step of a pool is with its undo in the domain of its doubt, after which it starts anew at another member
 * (`failover: 'undo-first'`). Failures count over all key generations, so that their sum is bounded (R14): those of performs,
 * and those of these undos.
 */
export type UndoFirst =
  /** The undo is in flight, or waits: `failures` of the step counts undos, `performFailures` keeps the others. */
  | { readonly isDone: false; readonly performFailures: number }
  /** The undo succeeded, and `failures` counts performs again. `performFailures`: as many as there were when it began. */
  | { readonly isDone: true; readonly performFailures: number; readonly undoFailures: number };

/** One step of an order. */
export interface StepRecord extends Extensible {
  readonly name: StepName;
  readonly agent: AgentName;
  readonly policy: StepPolicy;
  /** The fencing number: +1 at every dispatch, of perform and undo alike. */
  readonly attempt: number;
  /** Attempts of the current action that timed out since the last resubmit. */
  readonly failures: number;
  /** From 1; see `idempotencyKey`. */
  readonly keyGeneration: number;
  /**
   * While the step is in doubt, the latest complete-by of its performs; else null. Until then an agent may
   * still be working, so no undo starts before it.
   */
  readonly doubtUntil: number | null;
  readonly progress: StepProgress;
  /** Only where a round of the step ended in doubt, and its pool then undoes it first. */
  readonly undoFirst?: UndoFirst;
}

/** The limit of a workflow on the time of its orders, copied at submission. */
export interface OrderDeadline {
  /** When an order that is not finished is late, ms since the epoch. */
  readonly lateAt: number;
  /** What happens then: wait for an operator, or undo the order. */
  readonly onLate: Remedy;
}

/** The place of an order among those with its singleton key, as it was at its submission (R29). */
export interface OrderTurn {
  readonly line: LineName;
  /** The last order of the line then; absent when there was none, so that the order waits for no other. */
  readonly behind?: OrderId;
  /** Those before it are cancelled. */
  readonly replaces?: true;
  /**
   * A later order may replace it until it begins: the submission of the first order that it continues, or its own. Absent where
   * no later order may. Ms since the epoch.
   */
  readonly since?: number;
}

/** What was submitted, and never changes. */
export interface OrderDocument {
  readonly details: JsonValue;
  /** A digest of the submission: distinguishes a repeated submission from another one under the same key. */
  readonly digest: string;
}

interface Common {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly workflowVersion: number;
  /** Of the definition at submission. The order is parked when the definition of this version differs. */
  readonly fingerprint: string;
  readonly failureCount: number;
  readonly direction: Direction;
  /** In the order of the definition's steps. */
  readonly steps: readonly StepRecord[];
  readonly fault: OrderFault | null;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  /** The submitter's own id: part of every status and alert, and otherwise unused. */
  readonly correlationId: string | null;
  /** No claim before this instant. */
  readonly notBefore: number;
  readonly revision: number;
  /** The id of the write of this revision, by which the writer recognises it (R12). */
  readonly writeId: WriteId;
  readonly history: readonly HistoryEntry[];
  readonly submittedAt: number;
  readonly updatedAt: number;
  /** Until an operator resubmits the order after it. Default: none. */
  readonly deadline?: OrderDeadline;
  /** Only of an order with a singleton key. */
  readonly turn?: OrderTurn;
  /** Only where the store keeps it in the item of the record: each revision is stored with it. */
  readonly document?: OrderDocument;
  /** A step is Held. Derived from the steps: most records have none, and need not be searched for it. */
  readonly isHeld?: true;
  /** Attributes that a newer release stored; never empty. */
  readonly unknown?: UnknownAttributes;
}

/** Waits for a claim. */
export interface PendingRecord extends Common {
  readonly processState: 'Pending';
  readonly lockedBy: null;
  /** Null only until the first claim. */
  readonly completeBy: number | null;
}
/** A Scheduler has claimed the order, and calls are in flight. */
export interface ProcessingRecord extends Common {
  readonly processState: 'Processing';
  readonly lockedBy: SchedulerId;
  readonly completeBy: number;
}
/** Waits for an operator. */
export interface ErrorRecord extends Common {
  readonly processState: 'Error';
  readonly lockedBy: null;
  /** The earliest complete-by of the steps that are still under way. */
  readonly completeBy: number | null;
  readonly fault: OrderFault;
}
/** Final. */
export interface EndedRecord extends Common {
  readonly processState: 'Processed' | 'Undone';
  readonly lockedBy: null;
  readonly completeBy: null;
}

/** The process record of an order. */
export type ProcessRecord = PendingRecord | ProcessingRecord | ErrorRecord | EndedRecord;

/** The immutable half of an order: the document as it was submitted. */
export interface Order extends OrderDocument {
  readonly orderId: OrderId;
  readonly submittedAt: number;
}

/** Under way: a call is in flight, and its reply counts until complete-by. */
export type UnderWay = Running | Undoing;

/** What a call that is in flight does. */
export const actionOf = ({ state }: UnderWay): Action => (state === 'Undoing' ? 'undo' : 'perform');

/** Whether the step is undone before it is performed again, while its order goes forward. */
export const isUndoneFirst = ({ undoFirst }: Pick<StepRecord, 'undoFirst'>): boolean =>
  undoFirst?.isDone === false;

/** What the next call of the step does. */
export const nextAction = (
  { direction }: Pick<ProcessRecord, 'direction'>,
  step: Pick<StepRecord, 'undoFirst'>,
): Action => (direction === 'undo' || isUndoneFirst(step) ? 'undo' : 'perform');

/** Whether a call of the step is in flight. */
export function underWay(progress: StepProgress): progress is UnderWay {
  return progress.state === 'Running' || progress.state === 'Undoing';
}

/** Whether the order is Processed or Undone: nothing changes it any more. */
export const hasEnded = ({ processState }: Pick<ProcessRecord, 'processState'>): boolean =>
  processState === 'Processed' || processState === 'Undone';

/** Whether the order may have to wait for earlier ones of its singleton key: it has not begun a call. */
export const mayWaitForTurn = ({ turn, steps }: Pick<ProcessRecord, 'turn' | 'steps'>): boolean =>
  turn?.behind !== undefined && steps.every(({ attempt }) => attempt === 0);

/** Whether a step of an order is held. */
export const hasHeldStep = (steps: readonly StepRecord[]): boolean =>
  steps.some(({ progress }) => progress.state === 'Held');

/** Whether the step is held for its agent, and not for the turn of its order. */
export const waitsForAgent = (
  progress: StepProgress,
): progress is Held & { readonly gate: GateOfAgent } =>
  progress.state === 'Held' && progress.gate !== 'turn';

/** What a step is apart from being held. */
export function unheld(progress: StepProgress): Exclude<StepProgress, Held> {
  return progress.state === 'Held' ? progress.before : progress;
}

/** The step with this name, if the order has one. */
export function findStep(
  record: Pick<ProcessRecord, 'steps'>,
  name: StepName,
): StepRecord | undefined {
  return record.steps.find((step) => step.name === name);
}
