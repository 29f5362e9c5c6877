/** What the built-in orders and the drawn ones have in common: what is submitted, corrected, and promised by their services. */
import { checkEffects } from '#checkers/end-checker.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { priorities } from '#core/model/record.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Machine } from '#sim/world/machine.ts';
import { type ServicesOptions, services as servicesOf } from '#sim/world/sim-services.ts';
import type { Input, Output } from './sim-agents.ts';
import { tenants } from './sim-tenants.ts';
import type { Surroundings } from './sim-workflows.ts';
import { type Keyed, responseChannel, type SimAgents, type Subject } from './subject.ts';

/** The agents of orders, and whose services they call. */
export interface OrdersOptions {
  /** The workflows of new orders. */
  readonly workflows: readonly [string, ...string[]];
  /** The ledger of the service of an agent: services with one ledger know each other's keys. */
  readonly ledgerOf: (agent: AgentName) => string;
  readonly implementation: (
    agent: AgentName,
    machine: Machine,
    surroundings: Surroundings,
  ) => AgentImplementation<Input, Output>;
}

type SimOrders = Pick<
  Subject,
  'checksInputs' | 'isJudged' | 'request' | 'otherDetails' | 'correction' | 'agents' | 'isOwnOutput'
>;

/** See above. */
export const simOrders = ({ workflows, ledgerOf, implementation }: OrdersOptions): SimOrders => ({
  checksInputs: true,
  isJudged: () => false,
  request: (chance, number) => request(chance, number, workflows),
  otherDetails: () => ({ units: 99, boxes: 1, express: true }),
  correction: (chance) => ({
    field: chance.pick(['units', 'boxes']),
    value: chance.between(1, 9),
  }),
  agents: (options) => agents(options, ledgerOf, implementation),
  /** Outputs of services name the ledger that they belong to. */
  isOwnOutput: (agent, output) => ledgerIn(output) === ledgerOf(agent),
});

const ledgerIn = (output: JsonValue) =>
  typeof output === 'object' && output !== null && 'of' in output ? output['of'] : null;

function request(chance: Chance, number: number, workflows: OrdersOptions['workflows']): Keyed {
  return {
    workflow: chance.pick(workflows),
    details: { units: number, boxes: 1, express: chance.hits(0.5) },
    priority: chance.pick(priorities),
    tenant: chance.pick(tenants),
    replyTo: chance.hits(0.8) ? responseChannel : null,
    correlationId: number % 2 === 0 ? `correlation-${number}` : null,
    key: `key-${number}`,
  };
}

function agents(
  options: ServicesOptions,
  ledgerOf: OrdersOptions['ledgerOf'],
  implementation: OrdersOptions['implementation'],
): SimAgents {
  const services = servicesOf(options, ledgerOf);
  return {
    implementation: (agent, machine, surroundings) =>
      implementation(agent, machine, { services, ...surroundings }),
    effectsBreach: (record, definition) => checkEffects(record, definition, services.effects),
  };
}
