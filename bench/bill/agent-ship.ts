import { agentHandler } from '../../lambdas/agent-handler.ts';
import { ship } from './workflow.ts';

export const handler = agentHandler({
  agent: {
    contract: ship,
    perform: async ({ orderId }) => ({ reference: `ship-${orderId}` }),
    undo: async () => {},
  },
});
