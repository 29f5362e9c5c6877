/** An agent that tells its service when its calls begin, because on a busy machine they arrive some time later. */

import type { AgentContract } from '#core/definition/agent.ts';
import type { JsonValue } from '#core/model/json.ts';
import { serviceAgent } from '#workflows/service-agent.ts';
import { agentHandler } from '../../../lambdas/agent-handler.ts';
import { readConfig, serviceVariables } from '../../../lambdas/config.ts';

const { REEVE_SERVICE_URL } = readConfig(serviceVariables);

const timed: typeof fetch = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('begun-at', String(Date.now()));
  return fetch(url, { ...init, headers });
};

/** Its handler. */
export const timedAgent = <Input extends JsonValue, Output extends JsonValue>(
  contract: AgentContract<Input, Output>,
) => agentHandler({ agent: serviceAgent(contract, REEVE_SERVICE_URL, timed) });
