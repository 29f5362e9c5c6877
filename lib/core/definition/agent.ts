/**
 * The contract of an agent: its input, its output, and whether it can undo. The Scheduler needs only
 * this; `implementAgent` adds the code that calls the service.
 */
import type { ZodType } from 'zod';
import { DefinitionError } from '#core/model/errors.ts';
import { type AgentName, agentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type AgentLimit, agentLimits, type LimitOptions } from './agent-limit.ts';
import type { PoolMember } from './agent-pool.ts';
import { agentForm, checkOptions } from './option-forms.ts';
import type { ContractSchema } from './typed-schema.ts';

/**
 * Whether an agent can undo its effects. `offered`: its `undo` removes the effect and makes a later
 * `perform` with the same key fail. `unneeded`: it has no effects. `impossible`: it cannot.
 */
export type UndoAbility = 'offered' | 'unneeded' | 'impossible';

/** The contract of an agent, as workflows use it. */
export interface AgentContract<
  Input extends JsonValue = never,
  Output extends JsonValue = JsonValue,
  Undo extends UndoAbility = UndoAbility,
> {
  readonly name: AgentName;
  readonly input: ZodType<Input>;
  readonly output: ZodType<Output>;
  readonly undo: Undo;
  /** The members of a pool. Missing: a single agent. */
  readonly pool?: readonly PoolMember[];
  /** How often it may be called, and how many calls it makes at once. Missing: no limit. */
  readonly limits?: readonly AgentLimit[];
}

/** Options of {@link defineAgent}. */
export interface AgentOptions<
  Input extends JsonValue,
  Output extends JsonValue,
  Undo extends UndoAbility = UndoAbility,
  AcceptedInput = Input,
  AcceptedOutput = Output,
> {
  /** Up to 40 of a-z, 0-9 and "-", of which the first is one of a-z. Queues, metrics and faults carry this name. */
  readonly name: string;
  /** The agent validates it before it calls its service. The schema accepts what it returns ({@link ContractSchema}). */
  readonly input: ContractSchema<Input, AcceptedInput>;
  /**
   * The Scheduler validates it before it stores it in the record: return only what later steps need. The schema accepts what it
   * returns.
   */
  readonly output: ContractSchema<Output, AcceptedOutput>;
  /** Default `impossible`; steps of this agent must then be `irreversible`. */
  readonly undo?: Undo;
  /**
   * Limits of its calls by name, in all or by a key; a call needs room in each of them. They are asked in this order: state the
   * narrowest first, such as that of a customer before that of a tenant. Default: none but its `concurrency`.
   */
  readonly limits?: Readonly<Record<string, LimitOptions<Input>>>;
}

/**
 * Defines the contract of an agent.
 *
 * @throws {ReeveError} `id-malformed` when its name or the name of a limit is invalid
 * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind or not known; `limit-invalid` when a limit is
 *   out of its range
 */
export function defineAgent<
  Input extends JsonValue,
  Output extends JsonValue,
  Undo extends UndoAbility = UndoAbility,
  AcceptedInput = Input,
  AcceptedOutput = Output,
>(
  options: AgentOptions<Input, Output, Undo, AcceptedInput, AcceptedOutput>,
): AgentContract<Input, Output, Undo>;
/** The implementation, without the types of one definition. */
export function defineAgent(options: AgentOptions<JsonValue, JsonValue>): AgentContract<JsonValue> {
  checkOptions(agentForm, `agent ${options.name}`, options);
  return {
    name: agentName(options.name),
    input: options.input,
    output: options.output,
    undo: options.undo ?? 'impossible',
    ...limitsOption(options.name, options.limits),
  };
}

/** The checked limits of an agent or a pool; no property where there is none. */
export function limitsOption(
  owner: string,
  options: Parameters<typeof agentLimits>[1] | undefined,
): { readonly limits?: readonly AgentLimit[] } {
  const limits = agentLimits(owner, options ?? {});
  return limits.length === 0 ? {} : { limits };
}

/** The error for a request to an agent that does not run here, for example by an order of a removed workflow. */
export function agentMissing(agent: string): DefinitionError {
  return new DefinitionError(
    'agent-missing',
    `There is no agent ${agent}. Add it to the agents of this Reeve; the Supervisor then repeats the request.`,
  );
}
