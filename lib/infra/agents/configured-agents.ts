/** Applies a stack's settings to its agents; a setting for an unknown agent is rejected, not ignored. */
import { ReeveError } from '#core/model/errors.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type AgentProps, type BundledAgent, isBundled, isFunction } from './agent-props.ts';

/** An agent of the stack. */
export type StackAgentProps =
  | AgentProps
  | (BundledAgent & {
      /** Whether it calls a service of the setting `services`, by REEVE_SERVICE_URL. @default false */
      readonly callsService?: boolean;
    });

/** An address that never answers, so that a `dev` stack can be inspected before a service exists. */
const noService = (agent: string) => `https://${agent}.invalid`;

const callsService = (agent: StackAgentProps): agent is BundledAgent =>
  'callsService' in agent && agent.callsService === true;

/** An agent may have the name of a property that each object has, such as `constructor`. */
const ownOf = <Value>(settings: Readonly<Record<string, Value>>, agent: string) =>
  Object.hasOwn(settings, agent) ? settings[agent] : undefined;

/** @throws {ReeveError} `settings-invalid` naming every setting without an agent */
export function configuredAgents(
  agents: readonly StackAgentProps[],
  settings: Settings,
): readonly AgentProps[] {
  const faults = [
    ...Object.keys(settings.concurrency).flatMap((name) => {
      const fault = faultOf(agents, name, () => null);
      return fault === null ? [] : [`\`concurrency.${name}\` ${fault}`];
    }),
    ...Object.keys(settings.services).flatMap((name) => {
      const callsNone = (agent: StackAgentProps) =>
        callsService(agent) ? null : 'is an agent that does not call a service of this parameter';
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
  agents: readonly StackAgentProps[],
  name: string,
  more: (agent: StackAgentProps) => string | null,
): string | null {
  const agent = agents.find((one) => one.name === name);
  if (agent === undefined) return 'is not an agent of this stack';
  return isFunction(agent) ? more(agent) : 'is an agent that runs elsewhere';
}

/** An error text when production lacks the address of a service. */
export function missingServices(
  agents: readonly StackAgentProps[],
  { services, stage }: Settings,
): string | null {
  const missing = agents.flatMap((agent) =>
    callsService(agent) && ownOf(services, agent.name) === undefined
      ? [`services.${agent.name}`]
      : [],
  );
  if (stage !== 'prod' || missing.length === 0) return null;
  return `Missing parameters: ${missing.join(', ')}. In production an agent without the address of its service fails every order. Add -c services='{"AGENT":"https://…"}', or use -c stage=dev to inspect the stack. See docs/reference.md.`;
}

function configured(agent: StackAgentProps, { services, concurrency }: Settings): AgentProps {
  if (!isFunction(agent)) return agent;
  const maxConcurrency = ownOf(concurrency, agent.name) ?? agent.maxConcurrency;
  const limited = { ...agent, ...(maxConcurrency !== undefined && { maxConcurrency }) };
  if (!isBundled(limited) || !('callsService' in limited)) return limited;
  const { callsService, ...bundled } = limited;
  if (callsService !== true) return bundled;
  const REEVE_SERVICE_URL = ownOf(services, agent.name) ?? noService(agent.name);
  return { ...bundled, environment: { ...bundled.environment, REEVE_SERVICE_URL } };
}
