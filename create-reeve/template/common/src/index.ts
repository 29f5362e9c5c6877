export { paymentAgent, stockAgent } from './agents.ts';
export { workflows } from './workflow.ts';
