import { shared } from './workflows.ts';
import { timedAgent } from './timed-agent.ts';

export const handler = timedAgent(shared);
