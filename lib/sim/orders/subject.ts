/** What a simulation runs: workflows, their agents with their services, and how orders are drawn. */
import type { CheckedLimit } from '#checkers/process/limit-checker.ts';
import type { SendChecker } from '#checkers/send-checker.ts';
import type { Violation } from '#checkers/violation.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Endpoint } from '#core/flow/endpoint-pool.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { SubmissionRequest } from '#roles/submission.ts';
import type { DrawnFault } from '#sim/faults/fault-rates.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Count } from '#sim/world/counted-calls.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { ServicesOptions } from '#sim/world/sim-services.ts';

/** Machines run one of two releases of the software. */
export type Release = 'old' | 'new';

/** A submission with its idempotency key. */
export type Keyed = SubmissionRequest & { readonly key: string };

/** A correction of the details by an operator. */
interface Correction {
  readonly field: string;
  readonly value: JsonValue;
}

/** What the implementation of an agent has of its machine. */
export interface AgentSurroundings {
  readonly count: Count;
  /** Checks what the code of an agent is given. */
  readonly rules: Pick<SendChecker, 'receiving'>;
  /** The calls that it makes at once in one process. */
  readonly concurrency: number;
}

interface NamedAgent {
  readonly name: AgentName;
}

/** The agents of one world. */
export interface SimAgents {
  /** The agent on a machine. */
  implementation(
    agent: AgentName,
    machine: Machine,
    surroundings: AgentSurroundings,
  ): AgentImplementation;
  /** R5, R10: how the effects at the services differ from those that the end of the order promises; null: they do not. */
  effectsBreach(record: ProcessRecord, definition: WorkflowDefinition): Violation | null;
}

export interface Subject {
  /** What each release knows; the newer one knows every workflow. */
  readonly registries: Readonly<Record<Release, WorkflowRegistry>>;
  /** Each member of a pool has its own. */
  readonly contracts: readonly [NamedAgent, ...NamedAgent[]];
  /** The members of pools, whose weights operators change. */
  readonly members: ReadonlySet<string>;
  /** The limits of the agents, as their services know them. */
  readonly limits: readonly CheckedLimit[];
  /** How much longer than the built-in orders an order may be at work once there are no faults, ms. */
  readonly patienceMs: number;
  /** How many times as long as in built-in worlds there are faults. */
  readonly faultsFactor: number;
  /** Faults that happen so many times as often as in built-in worlds. */
  readonly emphasis: Readonly<Partial<Record<DrawnFault, number>>>;
  /** Whether orders may wait for each other, or for hours, in every world. */
  readonly mayWaitLong: boolean;
  /** Whether the code of workflows is known to depend on its argument alone, so that the inputs of calls can be computed again. */
  readonly checksInputs: boolean;
  /** How often a stopped order is resubmitted in the calm phase, before the operator cancels it. */
  readonly resubmitsMax: number;
  /** The endpoints of the service of an agent; undefined: it has one address. */
  endpointsOf(agent: AgentName): readonly [Endpoint, Endpoint] | undefined;
  /** The workflow of all orders of a world in which they share a key; null for most worlds. */
  keyedWorkflowOf(seed: number): string | null;
  /** The next order. */
  request(chance: Chance, number: number): Keyed;
  /** Other details, with which a key is used again; null: there are none. */
  otherDetails(request: Keyed, chance: Chance): JsonValue | null;
  /** What an operator corrects; null: nothing. */
  correction(chance: Chance): Correction | null;
  /** The agents and their services in one world. */
  agents(options: ServicesOptions): SimAgents;
  /** Whether enough is known of the world: it ends then, and its end is not judged. */
  isJudged(): boolean;
  /** Whether an output is one of this agent, as far as that can be seen. */
  isOwnOutput(agent: AgentName, output: JsonValue): boolean;
}

/** The response channel of the simulated submitters. */
export const responseChannel = 'submitters';
