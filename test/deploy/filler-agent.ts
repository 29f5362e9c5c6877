import { agentHandler } from '../../lambdas/agent-handler.ts';
import { fills } from '../support/largest.ts';

export const handler = agentHandler({ agent: fills });
