import { agentHandler } from '../../lambdas/agent-handler.ts';
import { echo } from './long-chain.ts';

export const handler = agentHandler({
  agent: {
    contract: echo,
    perform: async ({ number }) => ({ number }),
  },
});
