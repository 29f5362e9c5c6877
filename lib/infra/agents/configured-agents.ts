/** Applies a stack's settings to its agents; a setting for an unknown agent is rejected, not ignored. */
import { ReeveError } from '#core/model/errors.ts';
import type { Settings } from '#infra/settings/settings.ts';
import type { AgentProps, FunctionAgentProps } from './agent-channel.ts';

/** An address that never answers, so that a `dev` stack can be inspected before a service exists. */
const noService = (agent: string) => `https://${agent}.invalid`;

/** @throws {ReeveError} `settings-invalid` naming every setting without an agent */
export function configuredAgents(
  agents: readonly AgentProps[],
  settings: Settings,
): readonly AgentProps[] {
  const faults = [
    ...Object.keys(settings.concurrency).flatMap((name) => {
      const fault = faultOf(agents, name, () => null);
      return fault === null ? [] : [`\`concurrency.${name}\` ${fault}`];
    }),
    ...Object.keys(settings.services).flatMap((name) => {
      const callsNone = ({ callsService }: FunctionAgentProps) =>
        callsService === true ? null : 'is an agent that does not call a service of this parameter';
      const fault = faultOf(agents, name, callsNone);
      return fault === null ? [] : [`\`services.${name}\` ${fault}`];
    }),
  ];
  if (faults.length === 0) return agents.map((agent) => configured(agent, settings));
  const names = agents.map(({ name }) => name).join(', ');
  throw new ReeveError(
    'settings-invalid',
    `Invalid parameters: ${faults.join('; ')}. The agents are ${names}. See docs/reference.md.`,
  );
}

/** The reason why a setting for this agent would have no effect. */
function faultOf(
  agents: readonly AgentProps[],
  name: string,
  more: (agent: FunctionAgentProps) => string | null,
): string | null {
  const agent = agents.find((one) => one.name === name);
  if (agent === undefined) return 'is not an agent of this stack';
  return agent.entry === undefined ? 'is an agent that runs elsewhere' : more(agent);
}

/** An error text when production lacks the address of a service. */
export function missingServices(
  agents: readonly AgentProps[],
  { services, stage }: Settings,
): string | null {
  const missing = agents.flatMap(({ name, ...agent }) =>
    agent.entry !== undefined && agent.callsService === true && services[name] === undefined
      ? [`services.${name}`]
      : [],
  );
  if (stage !== 'prod' || missing.length === 0) return null;
  return `Missing parameters: ${missing.join(', ')}. In production an agent without the address of its service fails every order. Add -c services='{"AGENT":"https://…"}', or use -c stage=dev to inspect the stack. See docs/reference.md.`;
}

function configured(agent: AgentProps, { services, concurrency }: Settings): AgentProps {
  if (agent.entry === undefined) return agent;
  const maxConcurrency = concurrency[agent.name] ?? agent.maxConcurrency;
  const service = services[agent.name] ?? noService(agent.name);
  return {
    ...agent,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(agent.callsService === true && {
      environment: { ...agent.environment, REEVE_SERVICE_URL: service },
    }),
  };
}
