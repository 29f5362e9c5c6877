/**
 * The gates of the agents, for one of several instances of the Scheduler. What an instance knows of an agent comes from the
 * replies that it receives, and only when they say that the agent is behind, from its queues and its stored circuit.
 */
import type { Hold } from '#core/model/hold.ts';
import { limits } from '#core/model/limits.ts';
import type { Reply, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Gates } from '#ports/gates.ts';
import { type AgentLoad, type AgentLoadOptions, agentLoad } from './agent-load.ts';

/** Options of {@link sharedGates}. */
export interface SharedGatesOptions extends Omit<AgentLoadOptions, 'agent' | 'isLimited'> {
  /** The agents that make a limited number of calls at once. */
  readonly limited: readonly string[];
}

/** See {@link sharedGates}. */
export interface SharedGates extends Gates {
  /** Learns from the replies of an agent, before they are applied. */
  observe(agent: string, replies: readonly Reply[]): void;
  /** How many steps that wait for the agent may start after its replies were applied, with these records. */
  startable(agent: string, records: readonly ProcessRecord[]): Promise<number>;
  /** No step waits for the agent, as the index says. */
  nothingWaits(agent: string): void;
}

/** Makes the gates of one instance. */
export function sharedGates({ limited, ...ports }: SharedGatesOptions): SharedGates {
  const loads = new Map<string, AgentLoad>();

  function of(agent: string): AgentLoad {
    const load =
      loads.get(agent) ?? agentLoad({ ...ports, agent, isLimited: limited.includes(agent) });
    loads.set(agent, load);
    return load;
  }

  function answer(request: Request): Hold | null {
    const load = of(request.agent);
    const gate = load.heldBy(request);
    if (gate === null) return null;
    load.stepWaits();
    return { gate, until: ports.clock.now() + limits.holdLookMaxMs };
  }

  async function afterReads(stale: readonly AgentLoad[], requests: readonly Request[]) {
    await Promise.all(stale.map((load) => load.refresh()));
    return requests.map(answer);
  }

  return {
    ask(requests) {
      const stale = [...new Set(requests.map(({ agent }) => of(agent)))].filter((load) =>
        load.isStale(),
      );
      return stale.length === 0 ? requests.map(answer) : afterReads(stale, requests);
    },
    release(requests) {
      for (const request of requests) of(request.agent).unsent(request);
    },
    observe(agent, replies) {
      for (const { result, waitedMs } of replies) {
        const load = of(agent);
        if (result.kind === 'deferred') load.pressed(result.gate);
        else if (waitedMs !== undefined) load.pressed('concurrency');
        if (result.kind === 'succeeded' || result.kind === 'failed') load.answered();
      }
    },
    async startable(agent, records) {
      const load = of(agent);
      if (records.some(hasBeenHeld)) load.stepWaits();
      if (!load.hasWaiting()) return 0;
      if (load.isStale()) await load.refresh();
      return load.startable(records.length);
    },
    nothingWaits: (agent) => of(agent).nothingWaits(),
  };
}

/** Latest entries of the history in which a hold says that other orders may wait as well. */
const latestEntries = 8;

const hasBeenHeld = ({ history }: ProcessRecord) =>
  history
    .slice(-latestEntries)
    .some((entry) => entry.type === 'held' || entry.type === 'deferred' || 'holds' in entry);
