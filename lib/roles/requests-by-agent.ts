/** The request channel of a role, made of one channel for each agent that is there. */
import { DefinitionError } from '#core/model/errors.ts';
import type { Request } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';

/**
 * `send` rejects when any of the requests could not be sent, after it has sent all the others; with
 * {@link agentMissing} when there is no such agent.
 *
 * @param channels by the name of the agent; asked at each send, so that agents may be added later
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

/** A request names an agent that does not run here: an order of a workflow that was removed may. */
export function agentMissing(agent: string): DefinitionError {
  return new DefinitionError(
    'agent-missing',
    `There is no agent ${agent}. Add it to the agents of this Reeve; the Supervisor then repeats the request.`,
  );
}
