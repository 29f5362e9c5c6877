/** An agent of the application: its module exports it, and Reeve makes its function. */
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { secret } from '../../../lambdas/secret.ts';
import { payment } from './workflows.ts';

const pspKey = secret('PSP_KEY');

export const paymentAgent: AgentImplementation<{ cents: number }, { signedWith: string }> = {
  contract: payment,
  async perform({ cents }) {
    const key = await pspKey();
    if (cents < 0) throw new PermanentFault('negative', 'There is no negative charge.', 'none');
    return { signedWith: key.slice(-4) };
  },
};
