/** Messages between roles. They may be lost, duplicated or late: only the record is authoritative. */

import type { Fault } from './fault.ts';
import type { GateOfAgent } from './hold.ts';
import type { Action, AgentName, IdempotencyKey, OrderId, StepName, WorkflowName } from './ids.ts';
import type { JsonValue } from './json.ts';
import { limits } from './limits.ts';
import type { Priority } from './record.ts';

/** Asks a Scheduler to claim the order. */
export interface Nudge {
  readonly orderId: OrderId;
  readonly priority: Priority;
  /** Missing for an order without a tenant, and in nudges of older releases. */
  readonly tenant?: string;
  /** The order is not to be claimed before; ms since the epoch. Missing: at once. */
  readonly at?: number;
}

/** The nudge of an order that may be claimed at once. */
export const nudgeOf = ({ orderId, priority, tenant }: NudgedOrder): Nudge =>
  tenant === null ? { orderId, priority } : { orderId, priority, tenant };

/** The nudge of an order that waits until this instant, which the channel delays until then. */
export const delayedNudgeOf = (order: NudgedOrder, at: number): Nudge => ({
  ...nudgeOf(order),
  at,
});

/**
 * Asks for a claim when the order may be claimed. Null where no message can be delayed for so long: a sweep asks when the instant
 * is near (`look-ahead.ts`).
 */
export function timelyNudgeOf(order: NudgedOrder, notBefore: number, nowMs: number): Nudge | null {
  if (notBefore <= nowMs) return nudgeOf(order);
  return notBefore - nowMs <= limits.messageDelayMaxMs ? delayedNudgeOf(order, notBefore) : null;
}

interface NudgedOrder {
  readonly orderId: OrderId;
  readonly priority: Priority;
  readonly tenant: string | null;
}

/**
 * Asks the Supervisor whether a call of the order is late, at the instant at which it may be: `deadline-check.ts`. Instants are
 * ms since the epoch.
 */
export interface DeadlineCheck {
  readonly orderId: OrderId;
  readonly at: number;
  /** The claim that the check belongs to; a later claim has checks of its own. Null: not known. */
  readonly claimedAt: number | null;
  /** From then on another check of the claim is on its way. Missing: there is no other. */
  readonly until?: number;
}

/** What a call has of a limit of its agent that all instances share. */
export interface LimitSlot {
  /** Of the item of the limit and key. */
  readonly name: string;
  /** Of room: names the one who has it, with each lease anew. */
  readonly holder?: string;
  /** Of a rate: a further call of the attempt needs a slot so long after the last one, ms. Missing: room for the attempt. */
  readonly everyMs?: number;
  /** Of a rate: how many calls may begin together after a time without calls. Missing: one, or an older release sent the request. */
  readonly burst?: number;
  /** The room is to be free for others as soon as the call has ended. */
  readonly isScarce?: true;
}

/** What the limits of an agent say of a call; nothing for an agent that has none. */
export interface CallSlots {
  /** The call must not begin before. */
  readonly startAt?: number;
  /** Nor after: the agent then gives the attempt back. */
  readonly startBy?: number;
  /** A reply has the same, so that its room is free for other calls. */
  readonly slots?: readonly LimitSlot[];
}

/** Asks an agent for one try of a step. Instants are ms since the epoch. */
export interface Request extends CallSlots {
  readonly orderId: OrderId;
  readonly workflow: WorkflowName;
  readonly step: StepName;
  readonly agent: AgentName;
  readonly attempt: number;
  readonly action: Action;
  readonly idempotencyKey: IdempotencyKey;
  /** The key of the perform: for an undo, the one to undo; for a perform, the same as `idempotencyKey`. */
  readonly performKey: IdempotencyKey;
  readonly completeBy: number;
  readonly completeWithinMs: number;
  /** No heartbeat moves `completeBy` past it. */
  readonly endBy: number;
  readonly input: JsonValue;
  /** For an undo, the output of the perform, null when unknown; for a perform, null. */
  readonly output: JsonValue;
  readonly priority: Priority;
  readonly tenant: string | null;
}

/** How a call ended, or that it is still in progress. */
export type ReplyResult =
  | { readonly kind: 'succeeded'; readonly output: JsonValue }
  | { readonly kind: 'failed'; readonly fault: Fault }
  | { readonly kind: 'heartbeat' }
  | Deferral;

/** The agent gave the attempt back, which counts no failure. `retryAfterMs`: how long the step is held at least. */
export interface Deferral {
  readonly kind: 'deferred';
  readonly gate: GateOfAgent;
  readonly retryAfterMs: number;
}

/** A reply of an agent, which the channel identifies. */
export interface Reply {
  readonly orderId: OrderId;
  readonly step: StepName;
  readonly attempt: number;
  readonly action: Action;
  readonly result: ReplyResult;
  /** How long the request waited in its queue, ms; only where that was a tenth of its time or more. */
  readonly waitedMs?: number;
  /** Of the request. */
  readonly slots?: readonly LimitSlot[];
}

/** A message that a write requires; sent only after the commit (R13). */
export type Command =
  | { readonly kind: 'nudge'; readonly nudge: Nudge }
  | { readonly kind: 'request'; readonly request: Request };
