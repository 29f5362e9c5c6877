/** Everything that can happen to an order: the rows of the transition table in docs/design.md. */

import type { Correction } from './correction.ts';
import type { Fault } from './fault.ts';
import type { AgentName, OrderId, SchedulerId, StepName } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Priority } from './record.ts';

/** A new order of a workflow that is known, with details that fit it. */
export interface Submit {
  readonly type: 'submit';
  /** The principal who submitted it; null only for orders stored before it was recorded. */
  readonly by: string | null;
  readonly orderId: OrderId;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
}

/** A Scheduler takes the order's lock and starts what is ready. */
export interface Claim {
  readonly type: 'claim';
  readonly by: SchedulerId;
}

interface FromAgent {
  readonly step: StepName;
  readonly attempt: number;
  /** Whose channel the reply came by: no agent can answer for another's step. */
  readonly agent: AgentName;
}
export interface StepSucceeded extends FromAgent {
  readonly type: 'stepSucceeded';
  readonly output: JsonValue;
}
export interface StepFailed extends FromAgent {
  readonly type: 'stepFailed';
  readonly fault: Fault;
}
export interface UndoSucceeded extends FromAgent {
  readonly type: 'undoSucceeded';
}
export interface UndoFailed extends FromAgent {
  readonly type: 'undoFailed';
  readonly fault: Fault;
}
export interface Heartbeat extends FromAgent {
  readonly type: 'heartbeat';
}

/** The Supervisor found the order due: what is past complete-by failed; an unclaimed one is nudged. */
export interface Expired {
  readonly type: 'expired';
}

/**
 * The Supervisor found the order interrupted by what is not its fault: after a `restart` of the one
 * process every call is lost; after an `outage` the steps that it made late are interrupted. No failure is
 * counted.
 */
export type Interrupted = InterruptedBy<'restart'> | InterruptedByOutage;

interface InterruptedBy<Reason> {
  readonly type: 'interrupted';
  readonly reason: Reason;
  /** When to dispatch again: a ramp, so that a recovery does not become the next outage. */
  readonly notBefore: number;
}
interface InterruptedByOutage extends InterruptedBy<'outage'> {
  /** Those it made late; a step among them that is not past its complete-by goes on. */
  readonly steps: readonly StepName[];
}

interface ByOperator {
  readonly by: string;
  /** Only while the order is at this revision: one that has gone on since is left alone. */
  readonly ifRevision?: number;
  /** Only an order of this tenant: to its operator there are no others. */
  readonly tenant?: string;
}
export interface Resubmit extends ByOperator {
  readonly type: 'resubmit';
  readonly corrections?: readonly Correction[];
}
export interface Cancel extends ByOperator {
  readonly type: 'cancel';
}

export type AgentEvent = StepSucceeded | StepFailed | UndoSucceeded | UndoFailed | Heartbeat;
export type RecordEvent = Claim | AgentEvent | Expired | Interrupted | Resubmit | Cancel;
export type Event = Submit | RecordEvent;
