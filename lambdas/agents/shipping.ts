import { shipping } from '#workflows/order-contracts.ts';
import { serviceAgent } from '#workflows/service-agent.ts';
import { agentHandler } from '../agent-handler.ts';
import { readConfig, serviceVariables } from '../config.ts';

const { REEVE_SERVICE_URL } = readConfig(serviceVariables);

export const handler = agentHandler({ agent: serviceAgent(shipping, REEVE_SERVICE_URL, fetch) });
