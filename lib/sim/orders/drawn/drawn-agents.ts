/** Agents that are drawn from a seed: what they can undo, what their services allow, and which of them are pools. */
import type { CheckedLimit } from '#checkers/process/limit-checker.ts';
import { type AgentContract, defineAgent, type UndoAbility } from '#core/definition/agent.ts';
import type { LimitAmount, LimitOptions } from '#core/definition/agent-limit.ts';
import { definePool, type Failover, type MemberOptions } from '#core/definition/agent-pool.ts';
import type { AgentName } from '#core/model/ids.ts';
import { type Input, input, type Output, output } from '#sim/orders/sim-agents.ts';
import type { Chance } from '#sim/world/chance.ts';

/** An agent, or a pool of them. */
export interface DrawnAgent {
  /** What steps name. */
  readonly contract: AgentContract<Input, Output>;
  /** What is implemented: the agent, or each member. */
  readonly implemented: readonly [
    AgentContract<Input, Output>,
    ...(readonly AgentContract<Input, Output>[]),
  ];
  readonly undo: UndoAbility;
  readonly failover: Failover;
  /** A call of a service with two endpoints has half of its time at the first: less than long work takes between heartbeats. */
  readonly hasEndpoints: boolean;
  /** The limits that a checker knows. */
  readonly limits: readonly CheckedLimit[];
}

const agentsMax = 4;
/** The share of the agents that are pools. */
const poolShare = 0.3;
const endpointsShare = 0.2;

export function drawnAgents(chance: Chance): readonly [DrawnAgent, ...DrawnAgent[]] {
  const more = Array.from({ length: chance.between(0, agentsMax - 1) }, (_, at) => at + 1);
  return [drawnAgent(chance, 0), ...more.map((number) => drawnAgent(chance, number))];
}

function drawnAgent(chance: Chance, number: number): DrawnAgent {
  const undo = chance.pick(['offered', 'offered', 'offered', 'unneeded', 'impossible'] as const);
  const limits = drawnLimits(chance);
  if (chance.hits(poolShare)) return drawnPool(chance, { name: `pool-${number}`, undo, limits });
  const contract = defineAgent({ name: `agent-${number}`, input, output, undo, limits });
  const { name } = contract;
  return {
    ...{ contract, implemented: [contract], undo, failover: 'wait' },
    hasEndpoints: chance.hits(endpointsShare),
    limits: checkedLimits(name, limits, { agents: [name], waitsUnder: [name] }),
  };
}

interface PoolDraft {
  readonly name: string;
  readonly undo: UndoAbility;
  readonly limits: Limits;
}

function drawnPool(chance: Chance, { name, undo, limits }: PoolDraft): DrawnAgent {
  const amount = chance.hits(0.5) ? { whole: drawnAmount(chance) } : null;
  // Where an undo is unneeded, all members are of one domain.
  const bank = undo === 'unneeded' ? {} : { domain: 'bank' };
  const two = chance.hits(0.7) ? { two: { ...bank, weight: chance.between(0, 3) } } : {};
  const other = chance.hits(0.7) ? { other: {} } : {};
  const members: Readonly<Record<string, MemberOptions>> = {
    one: { ...bank, ...(amount && { limits: amount }) },
    ...two,
    ...other,
  };
  const hasDomains = undo === 'offered' && 'other' in members;
  const failover = hasDomains ? chance.pick(['wait', 'undo-first'] as const) : 'wait';
  const pool = definePool({ name, input, output, undo, limits, failover, members });
  const [one, ...rest] = Object.keys(members).map(pool.member);
  if (one === undefined) throw new RangeError('a pool has members');
  const agents = pool.pool.map(({ agent }) => agent);
  const groups = pool.pool.map(({ group }) => group);
  return {
    contract: pool,
    implemented: [one, ...rest],
    ...{ undo, failover },
    hasEndpoints: chance.hits(endpointsShare),
    limits: [
      ...checkedLimits(pool.name, limits, {
        agents,
        waitsUnder: [...new Set([pool.name, ...agents, ...groups])],
      }),
      ...checkedLimits(one.name, amount ?? {}, { agents: [one.name], waitsUnder: [one.name] }),
    ],
  };
}

type Limits = Readonly<Record<string, LimitOptions<Input>>>;

const byTenant: LimitOptions<Input>['key'] = ({ tenant }) => tenant ?? 'none';
/** Of some calls only. */
const byUnits: LimitOptions<Input>['key'] = ({ input: { units } }) =>
  units % 3 === 0 ? null : `units ${units % 3}`;
const byWorkflow: LimitOptions<Input>['key'] = ({ workflow }) => workflow;

/** What an agent may be limited by, and the share of the agents that are. */
const limitKinds: readonly {
  readonly label: string;
  readonly key?: LimitOptions<Input>['key'];
  /** How a checker makes the key; null: it cannot. Missing: there is none. */
  readonly by?: NonNullable<CheckedLimit['by']> | null;
  readonly share: number;
}[] = [
  { label: 'per-tenant', key: byTenant, by: 'tenant', share: 0.25 },
  { label: 'per-units', key: byUnits, by: null, share: 0.1 },
  { label: 'per-workflow', key: byWorkflow, by: 'workflow', share: 0.1 },
  { label: 'whole', share: 0.3 },
  { label: 'more', share: 0.1 },
];

const drawnLimits = (chance: Chance): Limits =>
  Object.fromEntries(
    limitKinds
      .filter(({ share }) => chance.hits(share))
      .map(({ label, key }) => [label, { ...drawnAmount(chance), ...(key && { key }) }]),
  );

/** A checker expects that each limit lets a call begin in less than a minute. */
function drawnAmount(chance: Chance): LimitAmount {
  const count = chance.between(1, 11);
  const rate = {
    count,
    per: chance.pick([1_000, 1_000, 4_521, 7_000]),
    burst: chance.hits(0.5) ? 1 : chance.between(1, count),
  };
  const atOnce = chance.between(1, 3);
  return chance.pick([{ rate }, { rate }, { atOnce }, { rate, atOnce }]);
}

function checkedLimits(
  owner: AgentName,
  limits: Limits,
  agents: { readonly agents: readonly AgentName[]; readonly waitsUnder: readonly AgentName[] },
): readonly CheckedLimit[] {
  return Object.entries(limits).flatMap(([label, { rate, atOnce }]): CheckedLimit[] => {
    const by = limitKinds.find((kind) => kind.label === label)?.by;
    if (by === null) return [];
    return [
      {
        ...{ name: `${owner}/${label}`, ...agents },
        ...(by && { by }),
        ...(rate && { rate }),
        ...(atOnce !== undefined && { atOnce }),
      },
    ];
  });
}
