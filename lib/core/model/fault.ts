/** What went wrong with a call, and whether it may have had an effect all the same. */
import { limits } from './limits.ts';

/**
 * Whether a step that failed may have had an effect. `none` speaks for the idempotency key, and so for
 * every try of the step: the service refused it, and repeats that refusal to a try still on its way.
 */
export const effects = ['none', 'possible'] as const;
export type Effect = (typeof effects)[number];

/** Why a step or an order cannot go on, in words for a person and a code for a program. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly effect: Effect;
}

/** With texts of the length that is stored: services write long ones. */
export function cutFault({ code, message, effect }: Fault): Fault {
  return {
    code: code.slice(0, limits.faultCodeLengthMax),
    message: message.slice(0, limits.faultMessageMax),
    effect,
  };
}
