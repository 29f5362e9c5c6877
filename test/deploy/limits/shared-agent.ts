import { timedAgent } from './timed-agent.ts';
import { shared } from './workflows.ts';

export const handler = timedAgent(shared);
