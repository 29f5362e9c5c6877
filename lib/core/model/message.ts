/** The messages between roles. They may be lost, doubled or late: the record alone decides. */

import type { Fault } from './fault.ts';
import type { Action, AgentName, IdempotencyKey, OrderId, StepName, WorkflowName } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { Priority } from './record.ts';

/** Asks a Scheduler to claim the order. */
export interface Nudge {
  readonly orderId: OrderId;
  readonly priority: Priority;
}

/** Asks an agent for one try of a step. */
export interface Request {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly step: StepName;
  readonly agent: AgentName;
  readonly attempt: number;
  readonly action: Action;
  readonly idempotencyKey: IdempotencyKey;
  /** The perform that an undo undoes; for a perform, its own key. */
  readonly performKey: IdempotencyKey;
  readonly completeBy: number;
  readonly completeWithinMs: number;
  readonly endBy: number;
  readonly input: JsonValue;
  /** What the perform gave, where that is known; only for an undo. */
  readonly output: JsonValue;
  readonly priority: Priority;
  readonly tenant: string | null;
}

export type ReplyResult =
  | { readonly kind: 'succeeded'; readonly output: JsonValue }
  | { readonly kind: 'failed'; readonly fault: Fault }
  | { readonly kind: 'heartbeat' };

/** An agent's answer; which agent it is, the channel says. */
export interface Reply {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
  readonly action: Action;
  readonly result: ReplyResult;
}

/** What a committed write asks for; sent after the commit, and never before (R13). */
export type Command =
  | { readonly kind: 'nudge'; readonly nudge: Nudge }
  | { readonly kind: 'request'; readonly request: Request };
