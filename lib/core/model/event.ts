/** Events of an order: the rows of the transition table in docs/design.md. */

import type { Correction } from './correction.ts';
import type { Fault } from './fault.ts';
import type { GateOfAgent } from './hold.ts';
import type { AgentName, OrderId, SchedulerId, StepName } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Priority } from './record.ts';

/** A new order of a known workflow, with valid details. */
export interface Submit {
  readonly type: 'submit';
  /** The name of the principal; null only for orders stored before it was recorded. */
  readonly by: string | null;
  readonly orderId: OrderId;
  readonly priority: Priority;
  readonly tenant: string | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  /** No claim before this instant, ms since the epoch. Default: it may be claimed at once. */
  readonly notBefore?: number;
}

/** A Scheduler locks the order and starts its ready steps. */
export interface Claim {
  readonly type: 'claim';
  readonly by: SchedulerId;
}

/** A Scheduler starts what was held while other steps of the order are under way. */
export interface Resume {
  readonly type: 'resume';
  readonly by: SchedulerId;
}

interface FromAgent {
  readonly step: StepName;
  readonly attempt: number;
  /** The agent whose channel the reply came by: an agent can reply only for its own steps. */
  readonly agent: AgentName;
}
/** An agent reports that a perform succeeded. */
export interface StepSucceeded extends FromAgent {
  readonly type: 'stepSucceeded';
  readonly output: JsonValue;
}
/** An agent reports a permanent fault of a perform. */
export interface StepFailed extends FromAgent {
  readonly type: 'stepFailed';
  readonly fault: Fault;
}
/** An agent reports that an undo succeeded. */
export interface UndoSucceeded extends FromAgent {
  readonly type: 'undoSucceeded';
}
/** An agent reports a permanent fault of an undo. */
export interface UndoFailed extends FromAgent {
  readonly type: 'undoFailed';
  readonly fault: Fault;
}
/** An agent reports that it is still working, and asks for a later complete-by. */
export interface Heartbeat extends FromAgent {
  readonly type: 'heartbeat';
}

/**
 * An agent gives an attempt back: it did not begin it in time (`concurrency`), or its service is unavailable (`circuit`). No
 * failure is counted. An effect remains possible, because the request may have been delivered twice.
 */
export interface Deferred extends FromAgent {
  readonly type: 'deferred';
  readonly gate: GateOfAgent;
  /** How long the step is held at least, ms. */
  readonly retryAfterMs: number;
}

/** The Supervisor found the order due: attempts past complete-by fail; an unclaimed order is nudged. */
export interface Expired {
  readonly type: 'expired';
}

/**
 * The Supervisor found the order interrupted, and counts no failure. A `restart` of the single process
 * loses every call; an `outage` of the platform delays steps.
 */
export type Interrupted = InterruptedBy<'restart'> | InterruptedByOutage;

interface InterruptedBy<Reason> {
  readonly type: 'interrupted';
  readonly reason: Reason;
  /** When to dispatch again, ms since the epoch. A ramp spreads these instants over all interrupted orders. */
  readonly notBefore: number;
}
interface InterruptedByOutage extends InterruptedBy<'outage'> {
  /** The delayed steps. A step that is not past its complete-by continues. */
  readonly steps: readonly StepName[];
}

interface ByOperator {
  /** The name of the principal. */
  readonly by: string;
  /** The event is ignored when the order has another revision. */
  readonly ifRevision?: number;
  /** The event is ignored when the order has another tenant. */
  readonly tenant?: string;
}
/** An operator starts an order in Error again. */
export interface Resubmit extends ByOperator {
  readonly type: 'resubmit';
  readonly corrections?: readonly Correction[];
}
/** An operator undoes an order. */
export interface Cancel extends ByOperator {
  readonly type: 'cancel';
}

/** An operator moves an order to another priority class. */
export interface Reprioritise extends ByOperator {
  readonly type: 'reprioritise';
  readonly priority: Priority;
}

/** The events that replies of agents cause. */
export type AgentEvent =
  | StepSucceeded
  | StepFailed
  | UndoSucceeded
  | UndoFailed
  | Heartbeat
  | Deferred;
/** Whether the event is a reply of an agent. */
export const isReply = (event: RecordEvent): event is AgentEvent => 'attempt' in event;
/** The events of an order that exists. */
export type RecordEvent =
  | Claim
  | Resume
  | AgentEvent
  | Expired
  | Interrupted
  | Resubmit
  | Cancel
  | Reprioritise;
/** All events. */
export type Event = Submit | RecordEvent;
