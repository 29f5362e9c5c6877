/** The gates of the agents of one process. */
import { agentMissing } from '#core/definition/agent.ts';
import type { Takers } from '#core/definition/agent-settings.ts';
import type { CallLimits } from '#core/definition/registry.ts';
import type { Hold } from '#core/model/hold.ts';
import { limits as bounds } from '#core/model/limits.ts';
import type { Nudge, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { GateAnswers, Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import { type AgentGate, type AgentGateOptions, agentGate } from './agent-gate.ts';
import { type HeldStepsOptions, heldSteps } from './held-steps.ts';
import { inheritingCircuits } from './inherited-circuits.ts';
import { roomOfWaiting } from './limits/room-of-waiting.ts';
import { sharedStages } from './limits/shared-stages.ts';
import { type PoolLists, type PoolListsOptions, poolLists } from './pools/pool-lists.ts';

/** Options of {@link agentGates}. */
export interface AgentGatesOptions
  extends Omit<AgentGateOptions, 'agent' | 'concurrency' | 'pools' | 'limits' | 'lead' | 'onOpen'> {
  /** The calls that each agent makes at once, by its name. */
  readonly concurrencyOf: ReadonlyMap<string, number>;
  /** The members that may get any call of a pool while they take calls, by its name. Default: there is no pool. */
  readonly pools?: ReadonlyMap<string, readonly string[]>;
  /** Which agents take new calls. Default: all. */
  readonly takers?: () => Takers;
  /** The weight of a member of a pool now. Default: that of its definition. */
  readonly weightOf?: PoolListsOptions['weightOf'];
  /** The members that the definition of an order has for a step that waits for a pool. Default: all that the pool has. */
  readonly membersOf?: HeldStepsOptions['membersOf'];
  /** By the names of agents, and by those under which steps of pools wait. Default: there is none. */
  readonly limits?: ReadonlyMap<string, CallLimits>;
  readonly log: Log;
}

/** Gates that learn from the stored records which steps wait. */
export interface AgentGates extends Gates {
  ask(requests: readonly Request[]): GateAnswers;
  /** @throws {DefinitionError} `agent-missing` when the process has no such agent, which an order of a former release may have */
  of(agent: string): AgentGate;
  /**
   * Call it after each durable write. The gates know from the records alone which steps wait, so an order that was
   * cancelled or started by another nudge does not keep a slot.
   *
   * @param before the revision that `record` replaced; null for a new order
   */
  onRecord(record: ProcessRecord, before: ProcessRecord | null): void;
  /** Call it when operators changed which agents take new calls, or how much a limit allows. */
  onSettings(): void;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the gates of the agents of one process. */
export function agentGates({
  concurrencyOf,
  pools: members = new Map(),
  limits = new Map(),
  takers = takersOfAll(members),
  membersOf = () => undefined,
  ...options
}: AgentGatesOptions): AgentGates {
  const { pools, poolsOf, sourcesOf } = poolsByName({ ...options, members, takers, of });
  const stages = sharedStages(limits, options);
  const gates = new Map<string, AgentGate>(
    [...concurrencyOf].map(([agent, concurrency]) => [
      agent,
      agentGate({
        ...{ ...options, agent, concurrency, pools: sourcesOf(agent) },
        limits: limits.get(agent)?.own ?? [],
        lead: stages.leadOf(agent),
        onOpen: () => rooms.yieldOf([agent, ...poolsOf(agent).map(([pool]) => pool)]),
      }),
    ]),
  );

  function of(agent: string): AgentGate {
    const gate = gates.get(agent);
    if (gate === undefined) throw agentMissing(agent);
    return gate;
  }

  /** Where the step waits for its agent. An order of a former release may have steps of an agent that is gone. */
  const waitingFor = (agent: string): AgentGate | PoolLists | undefined =>
    gates.get(agent) ?? pools.get(agent);

  const rooms = roomOfWaiting(
    stages.of,
    (name) => takers().heldBack.has(name) || waitingFor(name)?.isBarred() === true,
  );
  const held = heldSteps({
    isHeldBack: (name) => takers().heldBack.has(name),
    membersOf: (record, step) => (pools.has(step.agent) ? membersOf(record, step) : undefined),
    hold({ agent, key, since }, nudge, members) {
      const own = stages.of(agent);
      const goOn = (next: Nudge) => {
        const hasTurned = own !== undefined && rooms.wait(agent, key);
        const list = gates.get(agent) ?? pools.get(agent)?.in(members);
        list?.hold(key, next, hasTurned ? 'turned' : since);
      };
      if (own === undefined) goOn(nudge);
      else own.hold(key, nudge, goOn);
    },
    forget({ agent, key }) {
      rooms.forget(key);
      waitingFor(agent)?.forget(key);
      stages.of(agent)?.forget(key);
    },
  });

  function ask(request: Request): Hold | null {
    const { agent, idempotencyKey: step } = request;
    const own = stages.of(agent);
    if (own === undefined) return of(agent).ask(request);
    const passage = own.ask(request);
    if (passage === 'waits') {
      // It waited for its agent without room in its limits.
      const lists = poolsOf(agent).map(([, list]) => list.forget(step));
      rooms.refused(step, of(agent).forget(step) || lists.includes(true));
      return { gate: 'limit', until: options.clock.now() + bounds.holdLookMaxMs };
    }
    const hold = of(agent).ask(request, () => own.start(request));
    if (hold === null) rooms.forget(step);
    if (hold !== null && passage === 'passes') own.refused(request);
    return hold;
  }

  const release = releaseBy(of);
  return {
    ...{ of, nudgeHeld: true, ask: allOrNone(ask, release), release },
    onRecord: inheritingCircuits(gates, members, held.onRecord),
    onSettings() {
      held.release();
      rooms.yieldOf([...takers().heldBack]);
      for (const one of [...pools.values(), ...gates.values()]) one.fill();
      stages.fill();
    },
    close() {
      for (const gate of [...gates.values(), ...pools.values()]) gate.close();
      stages.close();
    },
  };
}

const releaseBy =
  (of: AgentGates['of']): AgentGates['release'] =>
  (requests) => {
    for (const [agent, own] of Map.groupBy(requests, (request) => request.agent)) {
      of(agent).release(own);
    }
  };

/** A request of an agent that this process does not have raises an error: then none has a slot. */
const allOrNone =
  (ask: (request: Request) => Hold | null, release: AgentGates['release']): AgentGates['ask'] =>
  (requests) => {
    const answers: (Hold | null)[] = [];
    try {
      for (const request of requests) answers.push(ask(request));
      return answers;
    } catch (error) {
      release(requests.filter((_, at) => answers[at] === null));
      throw error;
    }
  };

/** Options of {@link poolsByName}. */
interface PoolsOptions
  extends Omit<PoolListsOptions, 'members' | 'takes' | 'weightOf'>,
    Pick<AgentGatesOptions, 'weightOf'> {
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly takers: () => Takers;
}

/** The lists of steps that wait for members of pools. */
function poolsByName({
  members,
  takers,
  weightOf = ({ weight }) => weight,
  ...options
}: PoolsOptions) {
  const pools = new Map<string, PoolLists>(
    [...members].map(([pool, agents]) => {
      const takes = (agent: string) => takers().pools.get(pool)?.includes(agent) ?? false;
      return [pool, poolLists({ ...options, members: agents, takes, weightOf })];
    }),
  );
  const poolsOf = (agent: string) =>
    [...pools].filter(([pool]) => members.get(pool)?.includes(agent) === true);
  return {
    pools,
    poolsOf,
    sourcesOf: (agent: string) => poolsOf(agent).map(([, lists]) => lists.sourceOf(agent)),
  };
}

const takersOfAll = (pools: ReadonlyMap<string, readonly string[]>) => () => ({
  pools,
  heldBack: new Set<string>(),
});
