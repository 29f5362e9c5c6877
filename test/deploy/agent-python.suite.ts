/** The example agent in Python keeps the contract of an agent, over the SQS emulator of the unit tests. */
import { agentContract } from '../contracts/agent.ts';
import { startPythonAgent } from '../support/python-agent.ts';

agentContract('Python', startPythonAgent);
