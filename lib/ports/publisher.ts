/** How the world is told of committed changes. */
import type { Change } from '#core/change.ts';
import { ReeveError } from '#core/errors.ts';

/** An order needs a person (R17). */
export interface Alert {
  readonly change: Change;
  /** What to do about it, as a command. */
  readonly remedy: string;
}

/** Each call may be repeated for the same change; a rejected one is tried again. */
export interface Publisher {
  /** To the response channel registered under this name (R18). */
  respond(replyTo: string, change: Change): Promise<void>;
  alert(alert: Alert): Promise<void>;
}

/**
 * A response channel did not take a status message. `of` says whose fault that is: another `message` may
 * fare better now, or the whole `channel` is better left alone for a while.
 */
export class NotTold extends ReeveError {
  readonly of: 'message' | 'channel';
  /** How long the channel asked to be left alone, ms. */
  readonly retryAfterMs: number | null;

  constructor(
    code: string,
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
