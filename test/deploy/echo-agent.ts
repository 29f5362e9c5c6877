import { agentHandler } from '../../lambdas/agent-handler.ts';
import { echo } from './long-chain.ts';

export const handler = agentHandler({
  contract: echo,
  perform: async ({ number }) => ({ number }),
});
