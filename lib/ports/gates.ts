/** Gates: whether the agents of an order can begin a call now. A gate is advice: it delays calls, and ends no order. */
import type { Grant } from '#core/model/grant.ts';
import type { Request } from '#core/model/message.ts';

/** The gates of the agents that have one. */
export interface Gates {
  /**
   * Whether these requests of one order may be sent now; one grant per request, in the same order. A start grant takes a
   * place in the agent until `release`.
   */
  ask(requests: readonly Request[]): readonly Grant[];
  /**
   * The requests are held in the stored record: the gate nudges their order as soon as there is room. Not before the record
   * is stored, because a claim would not find the held step.
   */
  wait(requests: readonly Request[]): void;
  /** Gives back the places of requests: their calls have ended, or they were not sent. */
  release(requests: readonly Request[]): void;
}
