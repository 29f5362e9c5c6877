/**
 * The keys of the Held index: the orders with a step that waits for an agent, by agent and class, and within it by tenant, by
 * the queue of its limit and by the time that they have waited. Only an order that waits for an agent is in it, and none that cools down: it
 * would take the turn of another one.
 */
import { createHash } from 'node:crypto';
import { indexedStep } from '#core/decide/settle-holds.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import type { HeldPlace } from '#ports/held-steps.ts';

/** The key attributes of a record in the index; none when it is not in it. */
export interface HeldKey {
  readonly HeldFor?: string;
  readonly HeldTurn?: string;
}

const separator = '#';
/** Sorts after the separator, so that a tenant's orders without a queue come first. */
const queueMark = '/';
/** Digits of an instant in ms: enough until the year 5138, so that texts sort as instants do. */
const digits = 14;
/** Sorts after every instant. */
const afterAll = '~';

/** The partition of the orders of a class that wait for an agent. */
export const heldFor = (agent: string, priority: Priority) => `${agent}${separator}${priority}`;

/** The attributes of a record for the index, where an order with several held steps waits for the agent of one of them. */
export function heldKeyOf(record: ProcessRecord): HeldKey {
  const step = indexedStep(record);
  if (step === null) return {};
  const { priority, tenant } = record;
  const since = String(Math.max(0, Math.trunc(step.since))).padStart(digits, '0');
  return {
    HeldFor: heldFor(step.agent, priority),
    HeldTurn: `${placeText({ flow: heldFlowOf(tenant), queue: step.queue ?? null })}${separator}${since}`,
  };
}

/** A hash, so that no text of a caller is part of a key; the same in every function and release. */
export const heldFlowOf = (tenant: string | null) =>
  tenant === null ? '-' : createHash('sha256').update(tenant).digest('hex').slice(0, 16);

/** The weights of tenants, by their texts in the index; 1 for a tenant without one. */
export function heldWeights(weights: ReadonlyMap<string, number>): (flow: string) => number {
  const byFlow = new Map([...weights].map(([tenant, weight]) => [heldFlowOf(tenant), weight]));
  return (flow) => byFlow.get(flow) ?? 1;
}

const placeText = ({ flow, queue }: HeldPlace) =>
  queue === null ? flow : `${flow}${queueMark}${queue}`;

/** Sorts after the keys of all orders of a place. */
export const afterPlace = (place: HeldPlace) => `${placeText(place)}${separator}${afterAll}`;

/** The place of a sort key. */
export function placeOfTurn(turn: string): HeldPlace {
  const [flow = '', queue = null] = (turn.split(separator)[0] ?? '').split(queueMark);
  return { flow, queue };
}

/** Since when the order of a sort key has waited, ms since the epoch. */
export const sinceOfTurn = (turn: string) => Number(turn.split(separator)[1]);
