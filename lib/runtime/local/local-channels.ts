/**
 * The in-process channels of a Reeve in one process and the gates of its agents. {@link startLocalReeve} joins them
 * with the roles.
 */

import type { Nudge, Reply, Request } from '#core/model/message.ts';
import { type AgentRoom, agentRoom } from '#in-process/agent-room.ts';
import {
  type LocalChannel,
  type LocalChannelOptions,
  localChannel,
} from '#in-process/local-channel.ts';
import type { TenantWeights } from '#in-process/tenant-weights.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';

/** Concurrent calls to one remote service where its agent says nothing: a number that a small service can bear. */
const agentCallsMax = 256;
const messageBatchMax = 256;
const batchesInFlightMax = 8;
const retryAfterMs = 250;

/** What all channels of one process share. */
interface LocalChannelsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly weights: TenantWeights;
}

type OwnOptions<Message> = Omit<
  LocalChannelOptions<Message>,
  'retryAfterMs' | keyof LocalChannelsOptions
>;

/** The channels of one process, and what joins agents to them. */
export interface LocalChannels {
  readonly channels: Channels;
  /** Makes the channel that takes an agent's replies to the Scheduler. */
  repliesOf(agent: AgentImplementation): LocalChannel<Reply>;
  /** Sends the requests of an agent to `runner`, and releases the place of each call that has ended. */
  serve(agent: AgentImplementation, runner: AgentRunner, gates: Gates): void;
  /** Ends the deliveries of all channels. */
  close(): void;
}

/** The channels of one process: one for nudges, and one each for the requests and the replies of every agent. */
export function localChannels(options: LocalChannelsOptions, to: Scheduler): LocalChannels {
  const { clock, log, weights } = options;
  const open: { close(): void }[] = [];
  const make = <Message>(own: OwnOptions<Message>) => {
    const channel = localChannel<Message>({ ...own, retryAfterMs, clock, log });
    open.push(channel);
    return channel;
  };
  // A message names its class and its tenant itself.
  const fair = { flowOf: (message: Nudge | Request) => message, weights };
  const requests = new Map<string, LocalChannel<Request>>();
  return {
    channels: {
      nudges: make<Nudge>({
        name: 'nudges',
        receive: (nudges) => to.onNudges(nudges),
        batchMax: messageBatchMax,
        inFlightMax: batchesInFlightMax,
        fair,
      }),
      requests: requestsByAgent(requests),
    },
    repliesOf: ({ contract: { name } }) =>
      make<Reply>({
        name: `replies-${name}`,
        receive: (replies) => to.onReplies(name, replies),
        batchMax: messageBatchMax,
        inFlightMax: batchesInFlightMax,
      }),
    serve(agent, runner, gates) {
      const { name } = agent.contract;
      const serveOne = async ([request]: readonly Request[]) => {
        if (request === undefined) return [];
        const delivery = await runner.handle(request);
        if (delivery.kind !== 'retry') gates.release([request]);
        return [delivery];
      };
      requests.set(
        name,
        make<Request>({
          name: `requests-${name}`,
          receive: serveOne,
          batchMax: 1,
          inFlightMax: callsMaxOf(agent),
          fair,
        }),
      );
    },
    close() {
      for (const channel of open) channel.close();
    },
  };
}

/** The gates of the agents: each lets as many calls through as its `callsMax` says. */
export function localGates(
  { agents, clock }: { readonly agents: readonly AgentImplementation[]; readonly clock: Clock },
  { nudges }: Channels,
): AgentRoom {
  return agentRoom({
    callsMax: new Map(agents.map((agent) => [agent.contract.name, callsMaxOf(agent)])),
    nudge: (nudge) => void nudges.send([nudge]),
    clock,
  });
}

const callsMaxOf = ({ callsMax = agentCallsMax }: AgentImplementation) => callsMax;
