/** How the world is told of committed changes. */
import type { Change } from '#core/change.ts';

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
