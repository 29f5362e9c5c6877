import { serviceAgent } from '#workflows/service-agent.ts';
import { agentHandler } from '../../lambdas/agent-handler.ts';
import { readConfig, serviceVariables } from '../../lambdas/config.ts';
import { billing } from './flow-workflows.ts';

const { REEVE_SERVICE_URL } = readConfig(serviceVariables);

export const handler = agentHandler({ agent: serviceAgent(billing, REEVE_SERVICE_URL, fetch) });
