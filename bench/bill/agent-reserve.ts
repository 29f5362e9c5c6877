import { agentHandler } from '../../lambdas/agent-handler.ts';
import { reserve } from './workflow.ts';

export const handler = agentHandler({
  agent: {
    contract: reserve,
    perform: async ({ orderId }) => ({ reference: `reserve-${orderId}` }),
    undo: async () => {},
  },
});
