/**
 * The channels between roles. Messages may be lost, duplicated, late or out of order; the Supervisor
 * recovers lost ones from the state store (docs/design.md, "Lost messages").
 */
import type { Nudge, Reply, Request } from '#core/model/message.ts';

/** One direction between two roles. */
export interface Channel<Message> {
  /**
   * Resolves when the channel has accepted the messages, which does not mean that they were delivered.
   *
   * @throws {Error} when the channel did not accept all of them
   */
  send(messages: readonly Message[]): Promise<void>;
}

/** The channels of a role that commits transitions. */
export interface Channels {
  readonly nudges: Channel<Nudge>;
  readonly requests: Channel<Request>;
}

/** The channel from an agent to the Scheduler. Each agent has its own, which identifies it. */
export type ReplyChannel = Channel<Reply>;
