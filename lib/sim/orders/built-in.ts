/** The built-in orders: every shape and policy that steps can have, on services that keep their promises. */
import { checkEffects } from '#checkers/end-checker.ts';
import { priorities } from '#core/model/record.ts';
import type { Chance } from '#sim/world/chance.ts';
import { type ServicesOptions, services as servicesOf } from '#sim/world/sim-services.ts';
import { contracts, ledgerOf, serviceLimits, teller } from './sim-agents.ts';
import { tenants } from './sim-tenants.ts';
import {
  endpointsOf,
  implementation,
  keyedWorkflowOf,
  registries,
  workflowNames,
} from './sim-workflows.ts';
import { type Keyed, responseChannel, type SimAgents, type Subject } from './subject.ts';

export const builtIn: Subject = {
  registries,
  contracts,
  members: new Set(teller.pool.map(({ agent }) => agent)),
  limits: serviceLimits,
  patienceMs: 0,
  faultsFactor: 1,
  emphasis: {},
  hasSingletons: false,
  checksInputs: true,
  isJudged: () => false,
  // Their services refuse nothing each time.
  resubmitsMax: Number.POSITIVE_INFINITY,
  endpointsOf,
  keyedWorkflowOf,
  request,
  otherDetails: () => ({ units: 99, boxes: 1, express: true }),
  correction: (chance) => ({
    field: chance.pick(['units', 'boxes']),
    value: chance.between(1, 9),
  }),
  agents,
  /** Outputs of services name the ledger that they belong to. */
  isOwnOutput: (agent, output) =>
    typeof output === 'object' &&
    output !== null &&
    'of' in output &&
    output['of'] === ledgerOf(agent),
};

function request(chance: Chance, number: number): Keyed {
  return {
    workflow: chance.pick(workflowNames),
    details: { units: number, boxes: 1, express: chance.hits(0.5) },
    priority: chance.pick(priorities),
    tenant: chance.pick(tenants),
    replyTo: chance.hits(0.8) ? responseChannel : null,
    correlationId: number % 2 === 0 ? `correlation-${number}` : null,
    key: `key-${number}`,
  };
}

function agents(options: ServicesOptions): SimAgents {
  const services = servicesOf(options, ledgerOf);
  return {
    implementation: (agent, machine, surroundings) =>
      implementation(agent, machine, { services, ...surroundings }),
    effectsBreach: (record, definition) => checkEffects(record, definition, services.effects),
  };
}
