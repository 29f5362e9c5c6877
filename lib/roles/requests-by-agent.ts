/** The request channel of a role, made of one channel per agent. */
import { DefinitionError } from '#core/model/errors.ts';
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

/** The error for a request to an agent that does not run here, for example by an order of a removed workflow. */
export function agentMissing(agent: string): DefinitionError {
  return new DefinitionError(
    'agent-missing',
    `There is no agent ${agent}. Add it to the agents of this Reeve; the Supervisor then repeats the request.`,
  );
}
