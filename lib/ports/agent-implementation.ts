/** The code of an agent: what it does when the Scheduler asks. */
import type { AgentContract } from '#core/definition/agent.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { Effect } from '#core/model/fault.ts';
import type { IdempotencyKey } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';

/** May succeed if tried again within the deadline: a timeout, a 503, an open circuit. */
export class TransientFault extends ReeveError<string> {}

/** Will not succeed however often it is tried. */
export class PermanentFault extends ReeveError<string> {
  /** `none` only when the service has refused the key for good: it covers earlier tries as well. */
  readonly effect: Effect;

  constructor(code: string, message: string, effect: Effect, cause?: unknown) {
    super(code, message, { cause });
    this.effect = effect;
  }
}

/** What an implementation is given beside the input. */
export interface Call {
  readonly orderId: string;
  /** The same for every try of the step: pass it on, so that the service can deduplicate. */
  readonly idempotencyKey: IdempotencyKey;
  readonly attempt: number;
  /** Fires at complete-by; pass it to `fetch`. */
  readonly signal: AbortSignal;
  /** Says that the work goes on; moves complete-by if the step allows a longer `maxDuration`. */
  heartbeat(): void;
}

/** What an undo is given: the perform to take back, which may or may not have happened. */
export interface UndoTarget<Input, Output> {
  readonly performKey: IdempotencyKey;
  readonly input: Input;
  /** Null when the perform is in doubt. */
  readonly output: Output | null;
}

export interface AgentImplementation<
  Input extends JsonValue = JsonValue,
  Output extends JsonValue = JsonValue,
> {
  readonly contract: AgentContract<Input, Output>;
  /** Throw {@link PermanentFault} when trying again is useless; anything else is tried again. */
  perform(input: Input, call: Call): Promise<Output>;
  /** Must make a later `perform` with the same key fail: a late one may still be on its way. */
  undo?(target: UndoTarget<Input, Output>, call: Call): Promise<void>;
}
