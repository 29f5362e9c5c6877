/** A checked workflow, as `decide` reads it, without the types of its documents. */
import type { ZodType } from 'zod';
import type { AgentName, StepName, WorkflowName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Remedy, StepPolicy } from '#core/model/policy.ts';
import type { UndoAbility } from './agent.ts';
import type { AgentLimit } from './agent-limit.ts';
import type { Failover, PoolMember } from './agent-pool.ts';
import type { Sensitivity } from './sensitive/sensitivity.ts';
import type { Singleton } from './singleton.ts';

/** The argument of `input` and `when` of a step. */
export interface StepContext {
  readonly orderId: string;
  readonly details: JsonValue;
  readonly outputs: Readonly<Record<string, JsonValue | undefined>>;
}

/** One step. */
export interface StepDefinition {
  readonly name: StepName;
  /** Its agent, or the name of the pool that has its agents. */
  readonly agent: AgentName;
  /** The members of the pool; never empty. Missing: a single agent. */
  readonly pool?: readonly PoolMember[];
  /** An operator has drained its agent, which has no pool. Missing: it is not. */
  readonly isDrained?: boolean;
  /** Of its agent, or of the pool. Missing: no limit. */
  readonly limits?: readonly AgentLimit[];
  /** Of the pool. Default `wait`. It is not part of the fingerprint, like the members: it may change while orders run. */
  readonly failover?: Failover;
  readonly undo: UndoAbility;
  readonly output: ZodType<JsonValue>;
  /** The maximum size of its output as JSON. */
  readonly outputBytesMax: number;
  /** The fields that the contract of its agent marks. */
  readonly sensitive: { readonly input: Sensitivity; readonly output: Sensitivity };
  readonly after: readonly StepName[];
  readonly policy: StepPolicy;
  readonly input: (context: StepContext) => JsonValue;
  readonly when: ((context: StepContext) => boolean) | null;
}

/** The limit on the time from the submission of an order to its end. */
export interface DeadlinePolicy {
  readonly completeWithinMs: number;
  /** What happens to a late order: wait for an operator, or undo it. */
  readonly onLate: Remedy;
}

/** A workflow. */
export interface WorkflowDefinition {
  readonly name: WorkflowName;
  readonly version: number;
  readonly details: ZodType<JsonValue>;
  /** The fields that the schema of the details marks. */
  readonly sensitive: Sensitivity;
  /** In the order of the `step` calls. */
  readonly steps: readonly StepDefinition[];
  /** Indexes into `steps` in topological order. */
  readonly order: readonly number[];
  /** Default: an order may take any time. */
  readonly deadline?: DeadlinePolicy;
  /**
   * Default: orders do not wait for each other. It is not part of the fingerprint, because it acts at the submission: it may
   * change while orders run.
   */
  readonly singleton?: Singleton;
  /** See fingerprint.ts. */
  readonly fingerprint: string;
  /** Whether a step has a pool of agents: most workflows have none, and need not be searched for it. */
  readonly hasPools: boolean;
  /** Whether the agent of a step is drained. Missing: of none. */
  readonly hasDrained?: boolean;
}

/** A workflow with the types of its documents, which its builder knows. */
export interface Workflow<Submitted, Outputs> extends WorkflowDefinition {
  /** For the compiler alone: no workflow has it at run time. */
  readonly documents?: {
    /** What is submitted: the input of the schema of the details. */
    readonly submitted: Submitted;
    /** The outputs of the steps; `undefined` for a step that may be skipped. */
    readonly outputs: Outputs;
  };
}

/** The agents that may perform the step: one, or the members of its pool. */
export function agentsOf({
  agent,
  pool,
}: Pick<StepDefinition, 'agent' | 'pool'>): readonly AgentName[] {
  return pool === undefined ? [agent] : pool.map((member) => member.agent);
}
