/** An agent whose module needs a variable that only its function has. */
import { implementAgent } from '#ports/agent-implementation.ts';
import { shipping } from './workflows.ts';

const { REMOTE_ADDRESS } = process.env;
if (REMOTE_ADDRESS === undefined) throw new Error('REMOTE_ADDRESS is missing');

export const shippingAgent = implementAgent(shipping, { perform: async () => ({}) });
