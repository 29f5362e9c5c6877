import { timedAgent } from './timed-agent.ts';
import { paced } from './workflows.ts';

export const handler = timedAgent(paced);
