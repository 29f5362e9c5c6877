/** The forms of an agent: where its code runs, and with what. */
import type { Duration } from 'aws-cdk-lib';
import type { Network } from '#infra/deployment/deployment.ts';
import type { AnyFunction, AnySecret } from '#infra/deployment/given.ts';

/** What every agent has. */
interface CommonAgentProps {
  /** The agent's name in its contract. */
  readonly name: string;
  /**
   * At least the longest `completeWithin` of its steps, or `maxDuration` of a step with heartbeats, which do not prolong a
   * function. That of a function is at most 15 minutes, of an agent that runs elsewhere 12 hours.
   * @default 30 seconds, or the timeout of the existing function
   */
  readonly timeout?: Duration | undefined;
}

/** What an agent has that Lambda invokes. */
interface InvokedAgentProps extends CommonAgentProps {
  /**
   * Concurrent batches of ten calls, in all priority classes together: the load that its service supports.
   * From 2 per class to 1,000.
   * @default as SQS and Lambda scale, up to 1,250 per class
   */
  readonly maxConcurrency?: number | undefined;
}

/** The function that Reeve makes for an agent. */
interface BundledAgentProps extends InvokedAgentProps, Partial<Network> {
  /** MiB, 128 to 10,240; 1,769 MiB give one core. @default 256 */
  readonly memorySize?: number | undefined;
  /** Additional variables of its function. @default none */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Secrets by name. The function may read each, and has its ARN in the variable NAME_ARN; its code reads the text by
   * `secret('NAME')` of `reeve/lambda`. @default none
   */
  readonly secrets?: Readonly<Record<string, AnySecret>> | undefined;
}

/** An agent whose code a module exports. */
export interface ModuleAgentProps extends BundledAgentProps {
  /** The module, relative to the folder in which the app runs. */
  readonly module: string;
  /** The name under which it exports the implementation of the agent. */
  readonly export: string;
}

/** An agent whose module makes its own handler, by `agentHandler` of `reeve/lambda`. */
export interface HandlerAgentProps extends BundledAgentProps {
  /** The module that exports it as `handler`, relative to the folder in which the app runs. */
  readonly handler: string;
}

/**
 * An agent that is a function which exists apart from Reeve. It gets the rights and, where it is made in this app, the
 * variables that `agentHandler` of `reeve/lambda` reads. It may also be in another language, and use the messages directly.
 */
export interface ExistingAgentProps extends InvokedAgentProps {
  readonly function: AnyFunction;
}

/**
 * An agent that runs elsewhere, in any language, and uses the queues directly. Reeve makes them and a policy for the agent's
 * role.
 */
export interface QueueAgentProps extends CommonAgentProps {
  readonly module?: never;
  readonly handler?: never;
  readonly function?: never;
}

/** An agent whose function Reeve makes. */
export type BundledAgent = ModuleAgentProps | HandlerAgentProps;
/** An agent that Lambda invokes. */
export type FunctionAgentProps = BundledAgent | ExistingAgentProps;
/** An agent: a function, or a program that runs elsewhere. */
export type AgentProps = FunctionAgentProps | QueueAgentProps;

/** Whether a module exports the implementation of the agent. */
export const isModule = (agent: AgentProps): agent is ModuleAgentProps =>
  'module' in agent && agent.module !== undefined;

/** Whether Reeve makes the function of the agent. */
export const isBundled = (agent: AgentProps): agent is BundledAgent =>
  isModule(agent) || ('handler' in agent && agent.handler !== undefined);

/** Whether Lambda invokes the agent. */
export const isFunction = (agent: AgentProps): agent is FunctionAgentProps =>
  isBundled(agent) || ('function' in agent && agent.function !== undefined);
