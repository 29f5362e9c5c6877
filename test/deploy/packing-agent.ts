import { serviceAgent } from '#workflows/service-agent.ts';
import { agentHandler } from '../../lambdas/agent-handler.ts';
import { readConfig, serviceVariables } from '../../lambdas/config.ts';
import { packing } from './flow-workflows.ts';

const { REEVE_SERVICE_URL } = readConfig(serviceVariables);

export const handler = agentHandler({ agent: serviceAgent(packing, REEVE_SERVICE_URL, fetch) });
