/** The code of an agent. */
import type { AgentContract, UndoAbility } from '#core/definition/agent.ts';
import { checkImplementationOptions } from '#core/definition/option-forms.ts';
import type { Endpoint } from '#core/flow/endpoint-pool.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Effect } from '#core/model/fault.ts';
import type { IdempotencyKey } from '#core/model/ids.ts';
import type { JsonValue, ReadonlyJson } from '#core/model/json.ts';

/**
 * A fault after which the agent retries until the deadline: a timeout, a 503, an open circuit. Its author chooses the
 * code, which is logged.
 */
export class TransientFault extends ReeveError<string> {}

/** A fault that no retry can change: the step fails, and its `onFault` decides. */
export class PermanentFault extends ReeveError<string> {
  /** `none` only when the service has refused the key permanently, because it covers earlier tries as well. */
  readonly effect: Effect;

  /**
   * @param code for programs; cut after 100 characters
   * @param message for operators; cut after 300 characters, sensitive values of the order removed
   */
  constructor(code: string, message: string, effect: Effect, cause?: unknown) {
    super(code, message, { cause });
    this.effect = effect;
  }
}

/** The second argument of `perform` and `undo`. */
export interface Call {
  readonly orderId: string;
  /** The same for every try of the step: pass it to the service, so that it can deduplicate. */
  readonly idempotencyKey: IdempotencyKey;
  /** From 1; larger with every attempt of the step. */
  readonly attempt: number;
  /**
   * The address to call, when the agent has `endpoints`. It is another one after a call that failed.
   *
   * @throws {PermanentFault} `endpoints-missing` when the agent has none
   */
  readonly endpoint: string;
  /**
   * Aborts at complete-by, and earlier when another endpoint is to be called instead, or Reeve is closed; pass it to `fetch`.
   */
  readonly signal: AbortSignal;
  /**
   * Reports that the call is still in progress; moves complete-by when the step has a longer `maxDuration`. May be called
   * at any rate: at most one per half of `completeWithin` is sent.
   */
  heartbeat(): void;
}

/** The perform to undo, which may or may not have happened. */
export interface UndoTarget<Input, Output> {
  /** The idempotency key of the perform. */
  readonly performKey: IdempotencyKey;
  readonly input: Input;
  /** Null when the perform is in doubt. */
  readonly output: Output | null;
}

/** A contract with its implementation. */
export interface AgentImplementation<
  Input extends JsonValue = JsonValue,
  Output extends JsonValue = JsonValue,
> {
  readonly contract: AgentContract<Input, Output>;
  /** Concurrent calls in one process, at most: what its service can bear; a whole number of 1 or more. Default 256. */
  readonly concurrency?: number;
  /**
   * The addresses of the service, when it has several that know the same idempotency keys. Each call gets one of them as
   * `call.endpoint`: one that answers fast and has few calls in flight, and none that fails.
   */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Calls the service; may run several times, also at the same time, with one key.
   *
   * @throws {PermanentFault} when retries are useless; after every other error Reeve retries
   */
  perform(input: Input, call: Call): Promise<Output>;
  /**
   * Removes the effect of the perform. Must make a later `perform` with the same key fail, because a late one may still be
   * in flight. Required when the contract offers an undo.
   *
   * @throws {PermanentFault} when retries are useless: the order then stops in Error, `undo-stuck`
   */
  undo?(target: UndoTarget<Input, Output>, call: Call): Promise<void>;
}

/** The undo that a contract offers. */
export interface OfferedUndo<Input extends JsonValue, Output extends JsonValue> {
  /** See {@link AgentImplementation}. */
  undo(target: UndoTarget<Input, Output>, call: Call): Promise<void>;
}

/** The contract offers no undo, and the code has none; the type is the message for code that has one. */
export interface NoUndoOffered {
  readonly undo?: 'The contract does not say `undo: "offered"`: leave the undo out.';
}

/** The code of an agent, without its contract: it has an undo exactly if the contract offers one. */
export type AgentCode<
  Input extends JsonValue,
  Output extends JsonValue,
  Undo extends UndoAbility = UndoAbility,
> = Omit<AgentImplementation<Input, Output>, 'contract' | 'perform' | 'undo'> & {
  /** See {@link AgentImplementation}. */
  // The alternative is for literals, as of the `input` of a step.
  perform(input: Input, call: Call): Promise<NoInfer<Output | ReadonlyJson<Output>>>;
} & (UndoAbility extends Undo
    ? Partial<OfferedUndo<Input, Output>>
    : Undo extends 'offered'
      ? OfferedUndo<Input, Output>
      : NoUndoOffered);

/**
 * Implements an agent; the types of input and output are those of the contract. `code` may be an object of a class.
 *
 * @throws {DefinitionError} `options-invalid` when an option is missing or of a wrong kind, or `code` is of no class and has one that is
 *   not known
 */
export function implementAgent<
  Input extends JsonValue,
  const Output extends JsonValue,
  Undo extends UndoAbility = UndoAbility,
>(
  contract: AgentContract<Input, Output, Undo>,
  code: AgentCode<Input, Output, Undo>,
): AgentImplementation<Input, Output>;
/** The implementation, without the types of one definition. */
export function implementAgent(
  contract: AgentContract<JsonValue, JsonValue>,
  code: AgentCode<JsonValue, JsonValue>,
): AgentImplementation {
  const { concurrency, endpoints, perform, undo } = code;
  // An object of a class has fields of its own.
  const isOfClass = Object.getPrototypeOf(code) !== Object.prototype;
  const given = { ...(!isOfClass && code), contract, concurrency, endpoints, perform, undo };
  checkImplementationOptions(given);
  return {
    contract,
    ...(concurrency !== undefined && { concurrency }),
    ...(endpoints !== undefined && { endpoints }),
    // The code may be an object of a class: its methods are not properties of its own, and use its fields.
    perform: perform.bind(code),
    ...(undo !== undefined && { undo: undo.bind(code) }),
  };
}
