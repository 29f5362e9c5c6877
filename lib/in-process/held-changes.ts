/** Which steps of an order wait for their agents since a write, and which no more. */
import { mayStartHeld } from '#core/decide/settle-holds.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import {
  type AgentName,
  type IdempotencyKey,
  idempotencyKey,
  type StepName,
} from '#core/model/ids.ts';
import {
  nextAction,
  type ProcessRecord,
  type StepRecord,
  waitsForAgent,
} from '#core/model/record.ts';

/** A step that waits. */
export interface HeldStep {
  readonly name: StepName;
  /** The name under which it waits. */
  readonly agent: AgentName;
  /** The idempotency key of the request that it waits to send. */
  readonly key: string;
  /** Since when it has been held, ms since the epoch. */
  readonly since: number;
  readonly gate: GateOfAgent;
}

/** `begun`: also the steps that waited before. `ended`: also held steps whose order cools down. */
export interface HeldChanges {
  readonly begun: readonly HeldStep[];
  readonly ended: readonly HeldStep[];
}

/** @param before the revision that `record` replaced; null for a new order */
export function heldChanges(record: ProcessRecord, before: ProcessRecord | null): HeldChanges {
  if (record.isHeld !== true && before?.isHeld !== true) return nothing;
  const held = heldIn(record);
  const begun = mayStartHeld(record) ? held : [];
  const waits = ({ agent, key }: HeldStep) =>
    begun.some((step) => step.agent === agent && step.key === key);
  const known = before === null ? held : [...heldIn(before), ...held];
  return { begun, ended: known.filter((step) => !waits(step)) };
}

const nothing: HeldChanges = { begun: [], ended: [] };

const heldIn = (record: ProcessRecord): readonly HeldStep[] =>
  record.steps.flatMap((step) => heldStep(record, step));

function heldStep(record: ProcessRecord, step: StepRecord): readonly HeldStep[] {
  const { name, agent, progress } = step;
  if (!waitsForAgent(progress)) return [];
  return [{ name, agent, key: keyOf(record, step), since: progress.since, gate: progress.gate }];
}

/** The idempotency key of the request that the held step waits to send. */
const keyOf = (record: ProcessRecord, step: StepRecord): IdempotencyKey =>
  idempotencyKey(record.orderId, step.name, nextAction(record, step), step.keyGeneration);
