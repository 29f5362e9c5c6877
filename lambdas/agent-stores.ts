/** The stores that the instances of an agent's function share; operators learn of the changes of its circuit. */
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { dynamoEjections } from '#aws/store/health/dynamo-ejections.ts';
import { dynamoLimitItems } from '#aws/store/limits/dynamo-limit-items.ts';
import { hasJustOpened, type SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import { publish } from './metrics.ts';
import { log } from './telemetry.ts';

/** @param table the name of the Coordination table */
export function circuitsOf(table: string): Circuits {
  const circuits = dynamoCircuits(dynamoClient(), table);
  return {
    read: circuits.read,
    async store(agent, circuit, after) {
      const isStored = await circuits.store(agent, circuit, after);
      if (isStored) report(agent, circuit);
      return isStored;
    },
  };
}

/** @param table the name of the Coordination table */
export const ejectionsOf = (table: string): Ejections => dynamoEjections(dynamoClient(), table);

/** @param table the name of the Coordination table */
export const limitItemsOf = (table: string): LimitItems => dynamoLimitItems(dynamoClient(), table);

/** One log line when the service becomes unavailable, and the metric of its alarm also after each failed probe. */
function report(agent: string, circuit: SharedCircuit): void {
  switch (circuit.state) {
    case 'open':
      publish({ AgentsUnavailable: 1 });
      if (hasJustOpened(circuit)) log.error('circuit-opened', { agent });
      return;
    case 'half-open':
      return;
    case 'recovering':
      log.info('circuit-closed', { agent, openMs: circuit.from - circuit.since });
  }
}
