/** The built-in orders: every shape and policy that steps can have, on services that keep their promises. */
import { contracts, ledgerOf, serviceLimits, teller } from './sim-agents.ts';
import { simOrders } from './sim-orders.ts';
import {
  endpointsOf,
  implementation,
  keyedWorkflowOf,
  registries,
  workflowNames,
} from './sim-workflows.ts';
import type { Subject } from './subject.ts';

export const builtIn: Subject = {
  ...simOrders({ workflows: workflowNames, ledgerOf, implementation }),
  registries,
  contracts,
  members: new Set(teller.pool.map(({ agent }) => agent)),
  limits: serviceLimits,
  patienceMs: 0,
  faultsFactor: 1,
  emphasis: {},
  mayWaitLong: false,
  // Their services refuse nothing each time.
  resubmitsMax: Number.POSITIVE_INFINITY,
  endpointsOf,
  keyedWorkflowOf,
};
