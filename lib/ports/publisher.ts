/** Delivery of notifications about committed changes. */
import type { Change, Notification } from '#core/model/change.ts';
import type { ErrorCode } from '#core/model/error-codes.ts';
import { ReeveError } from '#core/model/errors.ts';

/** An order needs an operator (R17). */
export interface Alert {
  readonly change: Change;
  /** The command that resubmits the order. */
  readonly remedy: string;
}

/** @param command the command line of this Reeve, such as `npx reeve` */
export function alertOf(change: Change, command: string): Alert {
  return { change, remedy: `${command} resubmit ${change.orderId}` };
}

/** The result of one delivery. */
export type Publication =
  | { readonly kind: 'delivered' }
  /** Publish it again: whether it arrived is not known. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The receivers of notifications. */
export interface Publisher {
  /**
   * Delivers notifications to the response channel that `replyTo` names (R18) or to the operators (R17).
   * Those of one order to one audience are delivered in the given order, and none after a failed one. A slow
   * channel does not delay others. The results are in the order of the notifications.
   */
  publish(notifications: readonly Notification[]): Promise<readonly Publication[]>;
}

/**
 * A response channel refused a status message. `of`: `message` when other messages can succeed now, and
 * `channel` when the next try should wait.
 */
export class DeliveryError extends ReeveError<ErrorCode<'DeliveryError'>> {
  readonly of: 'message' | 'channel';
  /** The wait that the channel requested, ms; null for none. */
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
