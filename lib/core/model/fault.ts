/** Why a call failed, and whether it may have had an effect. */
import { limits } from './limits.ts';

/**
 * Whether a step that failed may have had an effect. `none` covers every try under the idempotency key:
 * the service refused the key, and refuses any try that is still in flight.
 */
export const effects = ['none', 'possible'] as const;
/** See {@link effects}. */
export type Effect = (typeof effects)[number];

/** Why a step or an order cannot continue: `code` for programs, `message` for operators. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly effect: Effect;
}

/** The fault with `code` and `message` cut to the lengths that are stored. */
export function cutFault({ code, message, effect }: Fault): Fault {
  return {
    code: code.slice(0, limits.faultCodeLengthMax),
    message: message.slice(0, limits.faultMessageLengthMax),
    effect,
  };
}
