import { paced } from './workflows.ts';
import { timedAgent } from './timed-agent.ts';

export const handler = timedAgent(paced);
