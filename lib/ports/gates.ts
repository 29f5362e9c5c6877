/** Gates: whether the agents of an order can begin a call now. A gate only delays calls: the policy of a step ends a hold (R23). */
import type { Grant } from '#core/model/grant.ts';
import type { Request } from '#core/model/message.ts';

/** The gates of the agents that have one. */
export interface Gates {
  /**
   * Whether these requests of one order may be sent now; one grant per request, in the same order. A start grant takes a
   * place in the agent for this very object, until `release` or the end of its attempt.
   */
  ask(requests: readonly Request[]): readonly Grant[];
  /** Gives back the places of requests: their calls have ended, or they were not sent. */
  release(requests: readonly Request[]): void;
}
