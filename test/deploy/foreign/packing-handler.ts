/** An agent that makes its own handler. It packs only what was charged with the secret of the stack. */
import { PermanentFault } from '#ports/agent-implementation.ts';
import { agentHandler } from '../../../lambdas/agent-handler.ts';
import { packing } from './workflows.ts';

export const handler = agentHandler({
  agent: {
    contract: packing,
    async perform({ signedWith }) {
      if (signedWith === '1234') return { parcel: 'p-1' };
      throw new PermanentFault('unsigned', 'The charge has another signature.', 'none');
    },
  },
});
