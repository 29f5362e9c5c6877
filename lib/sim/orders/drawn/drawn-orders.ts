/** Orders whose workflows and agents are drawn from the seed of their world: in other combinations than the built-in ones. */
import { workflowRegistry } from '#core/definition/registry.ts';
import type { Endpoint } from '#core/flow/endpoint-pool.ts';
import type { AgentName } from '#core/model/ids.ts';
import { simOrders } from '#sim/orders/sim-orders.ts';
import { implementationOf } from '#sim/orders/sim-workflows.ts';
import type { Subject } from '#sim/orders/subject.ts';
import { type Chance, chance as chanceOf } from '#sim/world/chance.ts';
import { type DrawnAgent, drawnAgents } from './drawn-agents.ts';
import { drawnVersions } from './drawn-workflows.ts';

/** The faults of a world are drawn from its seed alone. */
const salt = { factor: 2 ** 21, offset: 0x9e37_79b9 };
const endpoints: readonly [Endpoint, Endpoint] = [{ url: 'north', weight: 2 }, { url: 'south' }];
/** All rounds of a step with a short deadline and long cool-downs, which is resubmitted again and again, ms. */
const patienceMs = 24 * 3_600_000;
/** A step with a short deadline fails often. */
const resubmitsMax = 6;
const workflowsMax = 3;

export function drawnOrders(seed: number): Subject {
  const chance = chanceOf(seed * salt.factor + salt.offset);
  const agents = drawnAgents(chance);
  const [first, ...more] = agents.flatMap(({ implemented }) => implemented);
  if (first === undefined) throw new RangeError('an agent is implemented');
  const contracts = [first, ...more] as const;
  const names = drawnNames(chance);
  const versions = names.flatMap((name) => {
    const count = name === names[0] ? chance.between(1, 2) : 1;
    return drawnVersions(chance, agents, { name, count });
  });
  const endpointsOf = endpointsIn(agents);
  const pools = agents.flatMap(({ contract: { pool = [] } }) => pool);
  return {
    ...simOrders({
      workflows: names,
      ledgerOf: ledgersOf(pools),
      implementation(agent, machine, surroundings) {
        const contract = contracts.find(({ name }) => name === agent) ?? first;
        return implementationOf({ contract, endpoints: endpointsOf(agent) }, machine, surroundings);
      },
    }),
    registries: {
      old: workflowRegistry(versions.filter(({ version }) => version === 1)),
      new: workflowRegistry(versions),
    },
    contracts,
    members: new Set(pools.map(({ agent }) => agent)),
    limits: agents.flatMap(({ limits }) => limits),
    patienceMs,
    faultsFactor: 1,
    emphasis: {},
    mayWaitLong: versions.some(({ singleton }) => singleton !== undefined),
    resubmitsMax,
    endpointsOf,
    keyedWorkflowOf: () => null,
  };
}

function drawnNames(chance: Chance): readonly [string, ...string[]] {
  const more = Array.from({ length: chance.between(0, workflowsMax - 1) }, (_, at) => `w${at + 1}`);
  return ['w0', ...more];
}

function endpointsIn(agents: readonly DrawnAgent[]): Subject['endpointsOf'] {
  const own = new Set(
    agents.flatMap(({ implemented, hasEndpoints }) =>
      hasEndpoints ? implemented.map(({ name }) => name) : [],
    ),
  );
  return (agent) => (own.has(agent) ? endpoints : undefined);
}

/** The members of a domain have one ledger. What is bound to the domain waits under the name of its group. */
function ledgersOf(
  pools: NonNullable<DrawnAgent['contract']['pool']>,
): (agent: AgentName) => string {
  const ledgers = new Map(
    pools.flatMap(({ agent, group, sharedGroup }) =>
      [agent, group].map((name) => [name, sharedGroup] as const),
    ),
  );
  return (agent) => ledgers.get(agent) ?? agent;
}
