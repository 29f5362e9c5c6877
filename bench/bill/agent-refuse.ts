/** The agent of the last step, where its service refuses every order: the steps before are undone. */
import { PermanentFault } from '#ports/agent-implementation.ts';
import { agentHandler } from '../../lambdas/agent-handler.ts';
import { ship } from './workflow.ts';

export const handler = agentHandler({
  agent: {
    contract: ship,
    perform: async () => {
      throw new PermanentFault('no-carrier', 'No carrier delivers there.', 'none');
    },
    undo: async () => {},
  },
});
