export { paymentAgent, stockAgent } from './agents.ts';
export { shop } from './workflow.ts';
