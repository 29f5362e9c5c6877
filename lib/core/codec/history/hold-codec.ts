/**
 * Holds and chosen agents in the stored history: an entry has them where a gate held a step, or a pool has the agent of a
 * step. The queues of holds follow them, because older releases know a hold without one. Stored instants are relative to
 * `epoch`, the submission of the order in ms since the epoch.
 */
import * as z from 'zod';
import { type Extensible, tailOf } from '#core/model/extension.ts';
import type { AgentChoice } from '#core/model/history.ts';
import { gates, type HoldEntry } from '#core/model/hold.ts';
import { agentName, type StepName, stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';
import type { JsonValue } from '#core/model/json.ts';

/** Of a stored instant, ms after the submission. */
const offset = z.int();
/** Step, gate, until, since. */
const hold = z.tuple([z.string(), z.enum(gates), offset, offset]);
/** The holds of an entry, as they are stored. */
export const storedHolds = z.array(hold).min(1).nullable().optional();

/** Step and agent, and 1 where its undo before another perform begins. */
const choice = z.tuple([z.string(), z.string(), z.literal(1).optional()]);
/** The members of pools that an entry names, as they are stored. */
export const storedAgents = z.array(choice).min(1).nullable().optional();

/** The queue of each hold; null for one that has none. Where no hold has one, there is no list. */
export const storedQueues = z
  .array(z.string().nullable())
  .refine((queues) => queues.some((queue) => queue !== null))
  .nullable()
  .optional();

/** The steps of which a call began, where others stay held. */
export const storedBegun = z.array(z.string()).nullable().optional();

/** What an entry says of the gates and the pools of agents. */
interface Gated extends Extensible {
  readonly holds?: readonly HoldEntry[];
  readonly begun?: readonly StepName[];
  readonly agents?: readonly AgentChoice[];
}

/** Appends the holds of an entry to its `known` elements, and what follows them: nothing where there is none, null before a later element. */
export function withHolds(
  known: readonly unknown[],
  gated: Gated,
  epoch: number,
): readonly unknown[] {
  const stored = gated.holds?.map((one) => encodeHold(one, epoch)) ?? null;
  const all = withAgents([...known, stored], gated);
  return all.length > known.length + 1 || stored !== null ? all : known;
}

/** Appends the agents, the queues and what began. */
export function withAgents(
  known: readonly unknown[],
  { agents, begun, holds, tail }: Gated,
): readonly unknown[] {
  const queues = holds?.some(({ queue }) => queue !== undefined)
    ? holds.map(({ queue = null }) => queue)
    : null;
  const stored = agents?.map(encodeChoice) ?? null;
  if (begun !== undefined) return [...known, stored, queues, begun];
  if (tail !== undefined) return [...known, stored, queues, null];
  if (queues !== null) return [...known, stored, queues];
  return stored === null ? known : [...known, stored];
}

const encodeChoice = ({ step, agent, undoFirst }: AgentChoice): readonly unknown[] =>
  undoFirst ? [step, agent, 1] : [step, agent];

/** One hold in its stored form. */
export function encodeHold(
  { step, gate, until, since }: HoldEntry,
  epoch: number,
): readonly unknown[] {
  return [step, gate, until - epoch, since - epoch];
}

/** The end of a stored entry: its holds, its agents, and what only a newer release knows. */
type StoredGated = readonly [
  holds?: readonly z.infer<typeof hold>[] | null | undefined,
  agents?: readonly z.infer<typeof choice>[] | null | undefined,
  queues?: readonly (string | null)[] | null | undefined,
  begun?: readonly string[] | null | undefined,
  ...tail: JsonValue[],
];

/**
 * Reads the end of a stored entry; no property for what it does not have.
 *
 * @throws {CorruptDataError} `instant-impossible`
 * @throws {ReeveError} `id-malformed` when a name is malformed
 * @throws {RangeError} when not each hold has a queue or null
 */
export function gatedOf(
  [holds, agents, queues, begun, ...tail]: StoredGated,
  epoch: number,
): Gated {
  if (queues && queues.length !== holds?.length) throw new RangeError('holds and queues differ');
  return {
    ...(holds && {
      holds: holds.map((stored, at) => inQueue(decodeHold(stored, epoch), queues?.[at])),
    }),
    ...(begun && { begun: begun.map(stepName) }),
    ...(agents && {
      agents: agents.map(([step, agent, undoFirst]) => ({
        step: stepName(step),
        agent: agentName(agent),
        ...(undoFirst === 1 && undoFirstMark),
      })),
    }),
    ...tailOf(tail),
  };
}

const inQueue = (hold: HoldEntry, queue: string | null | undefined): HoldEntry =>
  typeof queue === 'string' ? { ...hold, queue } : hold;

const undoFirstMark = { undoFirst: true } as const;

const decodeHold = (
  [step, gate, until, since]: z.infer<typeof hold>,
  epoch: number,
): HoldEntry => ({
  step: stepName(step),
  gate,
  until: instantAfter(epoch, until),
  since: instantAfter(epoch, since),
});
