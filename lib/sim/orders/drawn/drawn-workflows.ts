/** Workflows that are drawn from a seed: their steps, policies, deadlines and singletons. */
import * as z from 'zod';
import type { SingletonOptions } from '#core/definition/singleton.ts';
import {
  type CoolDown,
  defineWorkflow,
  type StepOptions,
  type UndoOptions,
  type WorkflowBuilder,
} from '#core/definition/workflow.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { remedies } from '#core/model/policy.ts';
import type { Input, Output } from '#sim/orders/sim-agents.ts';
import { slowUnits } from '#sim/orders/sim-workflows.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { DrawnAgent } from './drawn-agents.ts';

const details = z.strictObject({ units: z.int(), boxes: z.int(), express: z.boolean() });
type Details = z.infer<typeof details>;
type Outputs = Record<string, Output | undefined>;
type Step = StepOptions<Details, Outputs, string[], Input, Output>;
type Builder = WorkflowBuilder<Details, Outputs>;

const stepsMax = 4;
const singletonShare = 0.12;
/** Services take up to 300 ms: some calls of a step with the shortest deadline are in time. */
const deadlinesMs = [
  ...([120, 300, 300, 1_000, 3_000, 6_000, 8_000, 8_000, 15_000, 40_000] as const),
  // A function lives for 15 minutes, and so does its call.
  600_000,
] as const;
/** An undo that is late too often stops in Error again and again. */
const undoDeadlinesMs = [600, 1_000, 5_000, 20_000, 600_000] as const;
/** Heartbeats may extend shorter calls, and no call lives longer than a function. */
const extendedMaxMs = 100_000;

type Agents = readonly [DrawnAgent, ...DrawnAgent[]];

/** The versions of a workflow, the first of them first. They have one rule for the orders of a key, and nothing else in common. */
export function drawnVersions(
  chance: Chance,
  agents: Agents,
  { name, count }: { readonly name: string; readonly count: number },
): readonly WorkflowDefinition[] {
  const singleton = chance.hits(singletonShare) ? drawnSingleton(chance) : undefined;
  const versions = Array.from({ length: count }, (_, at) => at + 1);
  return versions.map((version) =>
    drawnWorkflow(chance, agents, { name, version, ...(singleton && { singleton }) }),
  );
}

interface Version {
  readonly name: string;
  readonly version: number;
  readonly singleton?: SingletonOptions<Details>;
}

function drawnWorkflow(chance: Chance, agents: Agents, own: Version): WorkflowDefinition {
  const leastMs = (own.singleton?.quiet ?? 0) + chance.between(2, 90) * 1_000;
  const deadline = chance.hits(0.25)
    ? { completeWithin: leastMs * chance.pick([1, 1, 60]), onLate: chance.pick(remedies) }
    : {};
  const start = defineWorkflow({ ...own, details, ...deadline });
  const { after: _none, ...first } = drawnStep(chance, agents, []);
  const names: [string, ...string[]] = ['s0'];
  let builder: Builder = start.step(names[0], first);
  for (let count = chance.between(1, stepsMax); names.length < count; ) {
    const name = `s${names.length}`;
    builder = builder.step(name, drawnStep(chance, agents, names));
    names.push(name);
  }
  return builder.build();
}

function drawnSingleton(chance: Chance): SingletonOptions<Details> {
  const key = ({ details: { units } }: { readonly details: Details }) =>
    units % 4 === 0 ? null : `key ${units % 2}`;
  const rule = chance.pick(['wait', 'skip', 'replace', 'debounce'] as const);
  if (rule !== 'debounce') return { key, else: rule };
  const quiet = chance.pick([100, 2_000, 6_000] as const);
  return { key, else: rule, quiet, atMost: quiet * chance.between(1, 4) };
}

function drawnStep(chance: Chance, agents: Agents, before: readonly string[]): Step {
  const { contract, undo, failover, hasEndpoints } = chance.pick(agents);
  const after = before.filter((_, at) => chance.hits(at === before.length - 1 ? 0.7 : 0.25));
  const irreversible = undo === 'impossible' || (failover === 'wait' && chance.hits(0.1));
  const completeWithin = chance.pick(deadlinesMs);
  const maxDuration = drawnDuration(chance, completeWithin);
  const takesLong = !hasEndpoints && completeWithin >= 8_000 && maxDuration >= 24_000;
  const isFirst = chance.hits(0.3);
  const parity = chance.between(0, 2);
  return {
    agent: contract,
    after,
    input: ({ details: { units, boxes }, outputs }) => ({
      units: takesLong ? slowUnits : isFirst ? units : boxes,
      from: isFirst ? [] : Object.values(outputs).map((one) => one?.key ?? 'none'),
    }),
    ...(chance.hits(0.25) && {
      when: ({ details: { express, units } }) => express || units % 3 === parity,
    }),
    completeWithin,
    ...(maxDuration > completeWithin && { maxDuration }),
    retries: chance.pick([0, 1, 1, 2, 3]),
    ...((failover === 'undo-first' || chance.hits(0.4)) && { coolDown: drawnCoolDown(chance) }),
    ...(chance.hits(0.25) && { holdMax: chance.pick([1_000, 4_000, 10_000, 30_000, 3_600_000]) }),
    onFault: chance.pick(['undo', 'undo', 'hold']),
    onExhausted: irreversible ? 'hold' : chance.pick(['undo', 'undo', 'hold']),
    irreversible,
    ...(undo === 'offered' && !irreversible && drawnUndo(chance, completeWithin)),
  };
}

/** With heartbeats. */
function drawnDuration(chance: Chance, completeWithin: number): number {
  const isExtended = completeWithin <= extendedMaxMs && chance.hits(0.2);
  return completeWithin * (isExtended ? chance.between(2, 5) : 1);
}

function drawnCoolDown(chance: Chance): CoolDown {
  // A message cannot be delayed for so long.
  if (chance.hits(0.1)) return { after: 2_000_000, times: chance.between(1, 2) };
  const after = chance.pick([100, 1_000, 5_000, 20_000]);
  const factor = chance.hits(0.3) ? { factor: chance.pick([1.5, 3, 10]) } : {};
  const max = chance.hits(0.3) ? { max: after * chance.between(1, 3) } : {};
  return { after, times: chance.between(1, 3), ...factor, ...max };
}

/** @param own the deadline of the step, which is that of its undo where nothing else is stated */
function drawnUndo(chance: Chance, own: number): { readonly undo?: UndoOptions } {
  const [shortest] = undoDeadlinesMs;
  if (chance.hits(0.5)) return own < shortest ? { undo: { completeWithin: shortest } } : {};
  const completeWithin = chance.pick(undoDeadlinesMs);
  const maxDuration = drawnDuration(chance, completeWithin);
  return {
    undo: {
      completeWithin,
      ...(maxDuration > completeWithin && { maxDuration }),
      retries: chance.between(0, 2),
      coolDown: { ...drawnCoolDown(chance), times: chance.between(0, 4) },
    },
  };
}
