/** All agents of the shipped workflow, for one process. */
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { fraud, inventory, payment, shipping } from './order-contracts.ts';
import { serviceAgent } from './service-agent.ts';

/** The base URLs of the services, without a trailing slash. */
export interface ServiceUrls {
  readonly fraud: string;
  readonly inventory: string;
  readonly payment: string;
  readonly shipping: string;
}

/** Makes the agents of the shipped workflow. */
export function orderAgents(
  urls: ServiceUrls,
  fetch: typeof globalThis.fetch,
): readonly AgentImplementation[] {
  return [
    serviceAgent(fraud, urls.fraud, fetch),
    serviceAgent(inventory, urls.inventory, fetch),
    serviceAgent(payment, urls.payment, fetch),
    serviceAgent(shipping, urls.shipping, fetch),
  ];
}
