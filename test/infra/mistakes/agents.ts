/** Implementations of agents, and an export that is none. It logs when it is loaded, as the modules of an application may. */
import { implementAgent } from '#ports/agent-implementation.ts';
import { payment, shipping } from './workflows.ts';

const perform = async () => ({});
export const paymentAgent = implementAgent(payment, { perform });
export const shippingAgent = implementAgent(shipping, { perform });
export const contract = payment;

// biome-ignore lint/suspicious/noConsole: The test is that it does no harm.
console.log('loaded');
