/** `reeve/cdk`: a deployment on AWS, as a construct for a stack of your own, and as a stack. */

export type { Agent, FunctionAgent, QueueAgent } from '../infra/agents/agent.ts';
export type {
  AgentProps,
  ExistingAgentProps,
  FunctionAgentProps,
  HandlerAgentProps,
  ModuleAgentProps,
  QueueAgentProps,
} from '../infra/agents/agent-props.ts';
export type { Network } from '../infra/deployment/deployment.ts';
export type {
  AnyEventBus,
  AnyFunction,
  AnySecret,
  AnyTable,
  AnyVpc,
} from '../infra/deployment/given.ts';
export type { Bundle } from '../infra/functions/bundles.ts';
export type { Release } from '../infra/functions/release.ts';
export type { AlarmThresholds } from '../infra/operations/alarm-thresholds.ts';
export type { ReeveTables } from '../infra/order-tables.ts';
export { Reeve } from '../infra/reeve.ts';
export type { ReeveProps, TokenProps } from '../infra/reeve-props.ts';
export { ReeveStack, type ReeveStackProps } from '../infra/reeve-stack.ts';
export { readSettings, type Settings } from '../infra/settings/settings.ts';
