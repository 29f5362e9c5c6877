/** What passes between the code of an agent and the records of orders, as copies. */
import type { Reply } from '#core/model/message.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { ReplyChannel } from '#ports/channels.ts';
import { jsonCopy, plainCopy } from './json-copy.ts';

/** The same agent. Each of its calls gets documents of its own, so that a repeated call has what the first one had. */
export function copyingAgent(agent: AgentImplementation): AgentImplementation {
  const { contract, concurrency, endpoints } = agent;
  return {
    contract,
    ...(concurrency !== undefined && { concurrency }),
    ...(endpoints !== undefined && { endpoints }),
    perform: (input, call) => agent.perform(plainCopy(input), call),
    ...(agent.undo !== undefined && {
      undo: async ({ performKey, input, output }, call) =>
        agent.undo?.({ performKey, input: plainCopy(input), output: plainCopy(output) }, call),
    }),
  };
}

/** The same channel. An output is copied when it is sent, as it becomes text between the processes of functions. */
export const copyingReplies = (channel: ReplyChannel): ReplyChannel => ({
  send: (replies) => channel.send(replies.map(copyOf)),
});

function copyOf(reply: Reply): Reply {
  const { result } = reply;
  if (result.kind !== 'succeeded') return reply;
  return { ...reply, result: { kind: 'succeeded', output: jsonCopy(result.output) } };
}
