import { agentHandler } from '../../lambdas/agent-handler.ts';
import { charge } from './workflow.ts';

export const handler = agentHandler({
  agent: {
    contract: charge,
    perform: async ({ orderId }) => ({ reference: `charge-${orderId}` }),
    undo: async () => {},
  },
});
