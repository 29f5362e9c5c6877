/** `reeve`: what the definitions of workflows and agents need. */

export {
  type AgentContract,
  type AgentOptions,
  defineAgent,
  type UndoAbility,
} from '#core/definition/agent.ts';
export type {
  LimitAmount,
  LimitedCall,
  LimitOptions,
  RateOptions,
} from '#core/definition/agent-limit.ts';
export {
  type AgentPool,
  definePool,
  type Failover,
  type MemberOptions,
  type PoolOptions,
} from '#core/definition/agent-pool.ts';
export type { SingletonOptions, SubmittedOrder } from '#core/definition/singleton.ts';
export type { ContractSchema, TypedSchema } from '#core/definition/typed-schema.ts';
export {
  type CoolDown,
  defineWorkflow,
  type EachOnce,
  type NewName,
  type StepOptions,
  type TypedContext,
  type UndoOptions,
  type WorkflowBuilder,
  type WorkflowOptions,
} from '#core/definition/workflow.ts';
export type { Workflow, WorkflowDefinition } from '#core/definition/workflow-definition.ts';
export type { Endpoint } from '#core/flow/endpoint-pool.ts';
export { DefinitionError, ReeveError, RefusedError, UnavailableError } from '#core/model/errors.ts';
export type { Effect, Fault } from '#core/model/fault.ts';
export type { JsonValue, ReadonlyJson } from '#core/model/json.ts';
export type { Remedy } from '#core/model/policy.ts';
export type { OrderFault, Priority, ProcessState } from '#core/model/record.ts';
export {
  type AgentCode,
  type AgentImplementation,
  type Call,
  implementAgent,
  type NoUndoOffered,
  type OfferedUndo,
  PermanentFault,
  TransientFault,
  type UndoTarget,
} from '#ports/agent-implementation.ts';
export { type HttpService, httpService } from '#workflows/http-service.ts';
