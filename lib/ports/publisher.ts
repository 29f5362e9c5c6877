/** How the world is told of committed changes. */
import type { Change, Notification } from '#core/model/change.ts';
import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';

/** An order needs a person (R17). */
export interface Alert {
  readonly change: Change;
  /** What to do about it, as a command. */
  readonly remedy: string;
}

/** @param command how operators call the command line of this Reeve */
export function alertOf(change: Change, command: string): Alert {
  return { change, remedy: `${command} resubmit ${change.orderId}` };
}

export type Publication =
  | { readonly kind: 'delivered' }
  /** Whether it arrived is not known: it is to be published again. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Publisher {
  /**
   * Delivers notifications: to the response channel that `replyTo` names (R18), or to the operators (R17).
   * Those of one order to one audience are delivered in the order given, none after one that failed; no
   * channel waits for another. One result for each, in place.
   */
  publish(notifications: readonly Notification[]): Promise<readonly Publication[]>;
}

/**
 * A response channel did not take a status message. `of` says whose fault that is: another `message` may
 * fare better now, or the whole `channel` is better left alone for a while.
 */
export class DeliveryError extends ReeveError<ErrorCode<'DeliveryError'>> {
  readonly of: 'message' | 'channel';
  /** How long the channel asked to be left alone, ms. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ErrorCode<'DeliveryError'>,
    message: string,
    options: {
      readonly of: 'message' | 'channel';
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(code, message, options);
    this.of = options.of;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
