/**
 * The gates of the agents, for one of several instances of the Scheduler. What an instance knows of an agent comes from the
 * replies that it receives, and only when they say that the agent is behind, from its queues and its stored circuit. Limits are
 * items that all instances share.
 */
import type { Hold } from '#core/model/hold.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Reply, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type GateAnswer, type GateAnswers, type Gates, isHold } from '#ports/gates.ts';
import type { HeldStarter } from '#roles/scheduler.ts';
import { type AgentLoad, type AgentLoadOptions, agentLoad } from './agent-load.ts';
import type { SharedLimits } from './limits/shared-limits.ts';

/** Options of {@link sharedGates}. */
export interface SharedGatesOptions extends Omit<AgentLoadOptions, 'agent' | 'isLimited'> {
  /** The agents that make a limited number of calls at once. */
  readonly limited: readonly string[];
  /** The limits of the agents. */
  readonly limits: SharedLimits;
}

/** See {@link sharedGates}. */
export interface SharedGates extends Gates {
  /** Learns from the replies of an agent, before they are applied. */
  observe(agent: string, replies: readonly Reply[]): void;
  /** See {@link HeldStarter.applied}. */
  applied: HeldStarter['applied'];
  /** How many steps that wait for the agent may start after its replies were applied, with these records. */
  startable(
    agent: string,
    replies: readonly Reply[],
    records: readonly ProcessRecord[],
  ): Promise<number>;
  /** The orders that are to start of those that wait: others that come do not pass them. */
  chosen(agent: string, orderIds: readonly OrderId[]): void;
  /** No step waits for the agent, as the index says. */
  nothingWaits(agent: string): void;
  /** Whether no step of the queue of a limit can start now. */
  isClosed(queue: string): boolean;
  /** Resolves when others know the room that ended calls left. Never rejects. */
  settled(): Promise<void>;
}

/** Makes the gates of one instance. */
export function sharedGates({
  limited,
  limits: shared,
  ...ports
}: SharedGatesOptions): SharedGates {
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

  /** Limits are asked last, for calls that their agent can begin. */
  function answers(
    requests: readonly Request[],
    hasWaited: boolean,
  ): GateAnswers | Promise<GateAnswers> {
    const own = requests.map(answer);
    const asked = requests.map((request, at) =>
      own[at] === null ? shared.ask(request, hasWaited) : null,
    );
    if (asked.every((limited) => limited === null)) return own;
    return Promise.all(asked).then((late) =>
      requests.map((request, at): GateAnswer => {
        const limited = late[at] ?? null;
        if (!isHold(limited)) return limited ?? own[at] ?? null;
        of(request.agent).unsent(request);
        of(request.agent).stepWaits();
        return limited;
      }),
    );
  }

  return {
    ask(requests, hasWaited) {
      const stale = [...new Set(requests.map(({ agent }) => of(agent)))].filter((load) =>
        load.isStale(),
      );
      if (stale.length === 0) return answers(requests, hasWaited);
      const reads = Promise.all(stale.map((load) => load.refresh()));
      return reads.then(() => answers(requests, hasWaited));
    },
    isAvailable: (agent) => of(agent).isAvailable(),
    release(requests) {
      for (const request of requests) {
        of(request.agent).unsent(request);
        shared.release(request);
      }
    },
    observe(agent, replies) {
      const load = of(agent);
      for (const reply of replies) load.replied(reply);
      shared.replied(replies);
    },
    applied: shared.extended,
    async startable(agent, replies, records) {
      const load = of(agent);
      if (records.some((record) => hasBeenHeld(record, agent))) load.stepWaits();
      if (!load.hasWaiting()) return 0;
      if (load.isStale()) await load.refresh();
      return load.startable(records.length, shared.startable(replies));
    },
    chosen: (agent, orderIds) => of(agent).chosen(orderIds),
    nothingWaits(agent) {
      of(agent).nothingWaits();
      shared.nothingWaits(agent);
    },
    isClosed: shared.isClosed,
    settled: shared.settled,
  };
}

/** Latest entries of the history in which a hold says that other orders may wait as well. */
const latestEntries = 8;

const hasBeenHeld = ({ history, steps }: ProcessRecord, agent: string) => {
  const isOfAgent = (name: string) =>
    steps.some((step) => step.name === name && step.agent === agent);
  const isHeld = steps.some(
    ({ agent: own, progress }) => own === agent && progress.state === 'Held',
  );
  if (isHeld) return true;
  return history.slice(-latestEntries).some((entry) => {
    if (entry.type === 'deferred') return isOfAgent(entry.step);
    return 'holds' in entry && entry.holds.some(({ step }) => isOfAgent(step));
  });
};
