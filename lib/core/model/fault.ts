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

/** Stored for a fault that has no code of its own. */
const unknownCode = 'unknown';

/**
 * The fault as it is stored, from code that no type may have checked: `code` and `message` cut to their lengths, a code where there
 * is none, and an effect that is possible unless it says that there is none.
 */
export function cutFault({ code, message, effect }: Fault): Fault {
  return {
    code: code.slice(0, limits.faultCodeLengthMax) || unknownCode,
    message: message.slice(0, limits.faultMessageLengthMax),
    effect: effect === 'none' ? 'none' : 'possible',
  };
}
