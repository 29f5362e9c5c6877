/** The request channel of a role, made of one channel per agent. */
import { agentMissing } from '#core/definition/agent.ts';
import type { Request } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';

/**
 * `send` rejects when any request could not be sent, but only after it has sent all others; for an unknown agent with
 * {@link agentMissing}.
 *
 * @param channels by the name of the agent; read at each send, so that agents may be added later
 */
export function requestsByAgent(channels: ReadonlyMap<string, Channel<Request>>): Channel<Request> {
  return {
    async send(requests) {
      const sent = await Promise.allSettled(
        [...Map.groupBy(requests, ({ agent }) => agent)].map(async ([agent, own]) => {
          const channel = channels.get(agent);
          if (channel === undefined) throw agentMissing(agent);
          await channel.send(own);
        }),
      );
      for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}
