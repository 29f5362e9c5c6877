/** The code of an agent. */
import type { AgentContract } from '#core/definition/agent.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Effect } from '#core/model/fault.ts';
import type { IdempotencyKey } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';

/** A fault after which the agent retries until the deadline: a timeout, a 503, an open circuit. */
export class TransientFault extends ReeveError<string> {}

/** A fault that no retry can change. */
export class PermanentFault extends ReeveError<string> {
  /** `none` only when the service has refused the key permanently, because it covers earlier tries as well. */
  readonly effect: Effect;

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
  readonly attempt: number;
  /** Aborts at complete-by; pass it to `fetch`. */
  readonly signal: AbortSignal;
  /** Reports that the call is still in progress; moves complete-by when the step has a longer `maxDuration`. */
  heartbeat(): void;
}

/** The perform to undo, which may or may not have happened. */
export interface UndoTarget<Input, Output> {
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
  /** Concurrent calls in one process, at most: what its service can bear. Default 256. */
  readonly callsMax?: number;
  /** @throws {PermanentFault} when retries are useless; after every other error Reeve retries */
  perform(input: Input, call: Call): Promise<Output>;
  /** Must make a later `perform` with the same key fail, because a late one may still be in flight. */
  undo?(target: UndoTarget<Input, Output>, call: Call): Promise<void>;
}
