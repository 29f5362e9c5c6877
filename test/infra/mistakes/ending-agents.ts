/** A module that ends the process which loads it. */
import { implementAgent } from '#ports/agent-implementation.ts';
import { shipping } from './workflows.ts';

export const shippingAgent = implementAgent(shipping, { perform: async () => ({}) });
process.exit(1);
