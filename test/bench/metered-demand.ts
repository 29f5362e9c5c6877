import type { Demand } from '../../bench/model/demand.ts';

/** As `npm run bill` meters orders whose details are an item of their own. */
export const meteredDemand: Demand = {
  writeUnits: { Orders: 3, Processes: 6, Due: 2, Recent: 1 },
  readUnits: { Orders: 2, Processes: 2, Coordination: 0.01 },
  schedulerMessages: 4,
  agentMessages: 3,
  changes: 5,
  notified: 3,
  dollarsPerMillion: { batches: 10.87, single: 21.38 },
};
