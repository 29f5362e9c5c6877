/** The example agent in Python, as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pythonWith } from './python-tools.ts';

const folder = 'examples/agent-python';

export interface PythonAgentOptions {
  readonly endpoint: string;
  readonly requests: string;
  readonly replies: string;
  readonly service: string;
}

/** The returned function ends it; it fails when the process ended by itself. */
export async function startPythonAgent(options: PythonAgentOptions): Promise<() => Promise<void>> {
  const python = pythonWith(`${folder}/requirements.txt`);
  const agent = spawn(python, [`${folder}/agent.py`], {
    env: {
      AWS_ENDPOINT_URL: options.endpoint,
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      REEVE_REQUEST_QUEUE: options.requests,
      REEVE_REPLY_QUEUE: options.replies,
      REEVE_SERVICE_URL: options.service,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const killed = () => agent.kill('SIGKILL');
  process.once('exit', killed);
  await once(agent, 'spawn');
  return async () => {
    process.off('exit', killed);
    if (agent.exitCode !== null) throw new Error(`the agent ended with ${agent.exitCode}`);
    const ended = once(agent, 'exit');
    agent.kill('SIGTERM');
    await ended;
  };
}
