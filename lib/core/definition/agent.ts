/**
 * The contract of an agent: what it takes, what it gives, whether it can undo. The Scheduler needs
 * no more than this; the code that calls the service is `implementAgent`'s.
 */
import type { ZodType } from 'zod';
import { type AgentName, agentName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';

/**
 * What an agent can do about an effect of its own: `offered`: its `undo` takes the effect back and
 * makes a later `perform` with the same key fail; `unneeded`: it has no effect; `impossible`.
 */
export type UndoAbility = 'offered' | 'unneeded' | 'impossible';

export interface AgentContract<
  Input extends JsonValue = never,
  Output extends JsonValue = JsonValue,
> {
  readonly name: AgentName;
  readonly input: ZodType<Input>;
  readonly output: ZodType<Output>;
  readonly undo: UndoAbility;
}

export interface AgentOptions<Input extends JsonValue, Output extends JsonValue> {
  /** Up to 40 of a-z, 0-9 and "-"; names its queues, its metrics and its steps' faults. */
  readonly name: string;
  /** Checked by the agent before it calls anything. */
  readonly input: ZodType<Input>;
  /** Checked by the Scheduler before it is stored. Only what later steps need: it is kept. */
  readonly output: ZodType<Output>;
  /** Default `impossible`: its steps must then be `irreversible`. */
  readonly undo?: UndoAbility;
}

/**
 * Defines an agent's contract.
 *
 * @throws {ReeveError} `id-malformed` when the name has another form
 */
export function defineAgent<Input extends JsonValue, Output extends JsonValue>(
  options: AgentOptions<Input, Output>,
): AgentContract<Input, Output> {
  return {
    name: agentName(options.name),
    input: options.input,
    output: options.output,
    undo: options.undo ?? 'impossible',
  };
}
