/**
 * Which members of a pool may get the next call of a step. A step in doubt is tried again only where its idempotency key is
 * known, and an undo goes where its step was performed (R25). A step that may go to several members has their common name as its
 * agent until one of them has its call: that of the pool, or that of the group of its domain.
 */
import type { PoolMember } from '#core/definition/agent-pool.ts';
import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import { assertThat } from '#core/model/errors.ts';
import type { Action, AgentName } from '#core/model/ids.ts';
import type { StepRecord } from '#core/model/record.ts';

/** Whether only the domain of the agent that the step has may get its next call. */
export const isBound = ({ doubtUntil }: StepRecord, action: Action): boolean =>
  action === 'undo' || doubtUntil !== null;

/** The members that may get the call; never empty. Those of a domain that a step was undone in to start anew come last. */
export function membersFor(
  pool: readonly PoolMember[],
  step: StepRecord,
  action: Action,
): readonly PoolMember[] {
  const own = ownMember(pool, step);
  if (!isBound(step, action)) {
    const weighted = pool.filter(({ weight }) => weight > 0);
    // Where operators have drained all of them, the step is held.
    const open = weighted.length === 0 ? pool : weighted;
    return startsAnew(step) && own !== undefined ? lastOf(own.domain, open) : open;
  }
  // Which domain a member had that was removed from the pool is not known any more.
  if (own === undefined) {
    const { agent } = step;
    return [{ agent, domain: agent, weight: 0, group: agent, sharedGroup: agent }];
  }
  return pool.filter(({ domain }) => domain === own.domain);
}

/** Whether the step is without an effect since it was undone first: then its domain is the last to be asked. */
const startsAnew = ({ undoFirst, doubtUntil }: StepRecord): boolean =>
  undoFirst?.isDone === true && doubtUntil === null;

/** Those of the domain last. */
const lastOf = (domain: string, members: readonly PoolMember[]): readonly PoolMember[] => [
  ...members.filter((member) => member.domain !== domain),
  ...members.filter((member) => member.domain === domain),
];

/** The member that the step has, or one of its domain. */
export const ownMember = (pool: readonly PoolMember[], step: Pick<StepRecord, 'agent'>) =>
  pool.find(({ agent }) => agent === step.agent) ??
  pool.find(({ sharedGroup }) => sharedGroup === step.agent);

/** The name under which the step waits: of the members that may have its call, the first one that can begin it takes it. */
export function waitsUnder(
  { agent: name, pool }: Pick<StepDefinition, 'agent' | 'pool'>,
  step: StepRecord,
  action: Action,
): AgentName {
  if (pool === undefined) return step.agent;
  return isBound(step, action) ? (ownMember(pool, step)?.group ?? step.agent) : name;
}

/** One of several agents, each of which may get the call that a step waits for. */
export interface WaitedMember extends Pick<PoolMember, 'agent'> {
  /** As the definition says. Null: its domain alone may get the call, also without a weight. */
  readonly weight: number | null;
}

/**
 * The members that a step waits for. Versions of a workflow may have other members of one pool, and other weights.
 *
 * @param name under which the step waits: that of its pool, or of the group of a domain; for any other, the result is empty
 */
export function waitedMembers(
  { agent: owner, pool = [] }: Pick<StepDefinition, 'agent' | 'pool'>,
  name: AgentName,
): readonly WaitedMember[] {
  if (name === owner) return pool.map(({ agent, weight }) => ({ agent, weight }));
  const domain = pool.find(({ group }) => group === name)?.domain;
  const members = pool.filter((member) => member.domain === domain);
  return members.map(({ agent }) => ({ agent, weight: null }));
}

/**
 * The agent for the next call of the step.
 *
 * @param chosen the member whose gate lets the call through: the choice of a role. One that may not have the call is not followed
 */
export function agentFor(
  { pool }: Pick<StepDefinition, 'pool'>,
  step: StepRecord,
  action: Action,
  chosen: AgentName | undefined,
): AgentName {
  if (pool === undefined) return step.agent;
  const allowed = membersFor(pool, step, action).map(({ agent }) => agent);
  // Weights change while orders run, also between a decision and its replay.
  const open = isBound(step, action) ? allowed : pool.map(({ agent }) => agent);
  if (chosen !== undefined && open.includes(chosen)) return chosen;
  const own = startsAnew(step) ? undefined : step.agent;
  const agent = [own, allowed[0]].find((one) => one !== undefined && allowed.includes(one));
  assertThat(agent !== undefined, 'a pool has a member with a weight');
  return agent;
}

/**
 * The members in the order in which their gates are asked: drawn by weight; a step in doubt asks last the one that did not
 * answer, and one that was undone to start anew asks last those of the domain where it was.
 *
 * @param random a number in [0, 1)
 */
export function memberOrder(
  members: readonly PoolMember[],
  step: StepRecord,
  random: () => number,
): readonly AgentName[] {
  const { agent, doubtUntil, progress } = step;
  const byWeight = members
    // Efraimidis and Spirakis: the largest keys are a sample without replacement, by weight.
    .map((member) => ({ member, key: Math.log(1 - random()) / (member.weight || weightLeast) }))
    .toSorted((a, b) => b.key - a.key)
    .map(({ member }) => member);
  const own = startsAnew(step) ? ownMember(members, step) : undefined;
  const inOrder = own === undefined ? byWeight : lastOf(own.domain, byWeight);
  const drawn = inOrder.map((member) => member.agent);
  if (own !== undefined) return drawn;
  const others = drawn.filter((one) => one !== agent);
  if (others.length === drawn.length) return drainedLast(members, drawn);
  // A gate may have kept a slot for a step that waits for it.
  if (progress.state === 'Held') return [agent, ...others];
  return drainedLast(members, doubtUntil === null ? drawn : [...others, agent]);
}

function drainedLast(
  members: readonly PoolMember[],
  agents: readonly AgentName[],
): readonly AgentName[] {
  const drained = new Set(members.flatMap((one) => (one.isDrained ? [one.agent] : [])));
  return agents.toSorted((a, b) => Number(drained.has(a)) - Number(drained.has(b)));
}

/** Of a member without a weight, which is asked after the others. */
const weightLeast = 1e-9;
