/** How long the replies of each agent wait in its queue, as the Schedulers of a deployment note it. Advisory (R26). */
import type { ReplyDelay } from '#core/flow/reply-delay.ts';

/** Every method may throw {@link UnavailableError}. */
export interface ReplyDelays {
  /** The last note; null when there is none. The answer may be some seconds old. */
  read(agent: string): Promise<ReplyDelay | null>;
  /** Replaces the note of the agent. */
  note(agent: string, delay: ReplyDelay): Promise<void>;
}
