/**
 * The channels between roles. A message sent may be lost, doubled, late or out of order: whatever is
 * lost, the Supervisor heals from the state store (docs/design.md, "Lost messages").
 */
import type { Nudge, Reply, Request } from '#core/model/message.ts';

export interface Channel<Message> {
  /** Resolves when the channel has taken the messages; says nothing of their delivery. */
  send(messages: readonly Message[]): Promise<void>;
}

/** What a role that commits transitions may send. */
export interface Channels {
  readonly nudges: Channel<Nudge>;
  readonly requests: Channel<Request>;
}

/** An agent's way back to the Scheduler: one channel an agent, so that who replies is known from it. */
export type ReplyChannel = Channel<Reply>;
