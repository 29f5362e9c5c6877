/** The gates of the agents of one process. */
import type { CallLimits } from '#core/definition/registry.ts';
import { assertThat } from '#core/model/errors.ts';
import type { Hold } from '#core/model/hold.ts';
import { limits as bounds } from '#core/model/limits.ts';
import { type Nudge, nudgeOf, type Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { GateAnswers, Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import {
  type AgentGate,
  type AgentGateOptions,
  agentGate,
  type HeldIn,
  waitingIn,
} from './agent-gate.ts';
import { heldChanges } from './held-changes.ts';
import { sharedStages } from './limits/shared-stages.ts';
import { poolGate } from './pool-gate.ts';
import type { WaitingSteps } from './waiting-steps.ts';

/** Options of {@link agentGates}. */
export interface AgentGatesOptions
  extends Omit<AgentGateOptions, 'agent' | 'concurrency' | 'pools' | 'limits' | 'lead'> {
  /** The calls that each agent makes at once, by its name. */
  readonly concurrencyOf: ReadonlyMap<string, number>;
  /** The members that may get any call of a pool, by its name. Default: there is no pool. */
  readonly pools?: ReadonlyMap<string, readonly string[]>;
  /** By the names of agents, and by those under which steps of pools wait. Default: there is none. */
  readonly limits?: ReadonlyMap<string, CallLimits>;
  readonly log: Log;
}

/** Gates that learn from the stored records which steps wait. */
export interface AgentGates extends Gates {
  ask(requests: readonly Request[]): GateAnswers;
  /** @throws {ReeveError} `assertion-failed` when the process has no such agent */
  of(agent: string): AgentGate;
  /**
   * Call it after each durable write. The gates know from the records alone which steps wait, so an order that was
   * cancelled or started by another nudge does not keep a slot.
   *
   * @param before the revision that `record` replaced; null for a new order
   */
  onRecord(record: ProcessRecord, before: ProcessRecord | null): void;
  /** Nudges no order any more. */
  close(): void;
}

/** Makes the gates of the agents of one process. */
export function agentGates({
  concurrencyOf,
  pools: members = new Map(),
  limits = new Map(),
  ...options
}: AgentGatesOptions): AgentGates {
  const pools = new Map<string, WaitingSteps>(
    [...members].map(([pool, agents]) => [
      pool,
      poolGate({ ...options, members: () => agents.map(of) }),
    ]),
  );
  const poolsOf = (agent: string): readonly WaitingSteps[] =>
    [...members].flatMap(([pool, agents]) =>
      agents.includes(agent) ? (pools.get(pool) ?? []) : [],
    );

  const stages = sharedStages(limits, options);
  const gates = new Map<string, AgentGate>(
    [...concurrencyOf].map(([agent, concurrency]) => [
      agent,
      agentGate({
        ...{ ...options, agent, concurrency, pools: poolsOf(agent) },
        limits: limits.get(agent)?.own ?? [],
        lead: stages.leadOf(agent),
      }),
    ]),
  );

  function of(agent: string): AgentGate {
    const gate = gates.get(agent);
    assertThat(gate !== undefined, `this process has an agent ${agent}`);
    return gate;
  }

  /** Where the step waits for its agent. An order of a former release may have steps of an agent that is gone. */
  function waitingFor(agent: string): HeldIn | undefined {
    const pool = pools.get(agent);
    return gates.get(agent) ?? (pool && waitingIn(pool));
  }

  function ask(request: Request): Hold | null {
    const { agent, idempotencyKey: step } = request;
    const own = stages.of(agent);
    if (own === undefined) return of(agent).ask(request);
    const passage = own.ask(request);
    if (passage === 'waits') {
      // It waited for its agent without having been asked for its limits.
      for (const waiting of [of(agent), ...poolsOf(agent).map(waitingIn)]) waiting.forget(step);
      return { gate: 'limit', until: options.clock.now() + bounds.holdLookMaxMs };
    }
    const hold = of(agent).ask(request, () => own.start(request));
    if (hold !== null && passage === 'passes') own.refused(request);
    return hold;
  }

  return {
    of,
    nudgeHeld: true,
    ask: (requests) => requests.map(ask),
    release(requests) {
      for (const [agent, own] of Map.groupBy(requests, (request) => request.agent)) {
        of(agent).release(own);
      }
    },
    onRecord(record, before) {
      const { begun, ended } = heldChanges(record, before);
      for (const { agent, key } of ended) {
        waitingFor(agent)?.forget(key);
        stages.of(agent)?.forget(key);
      }
      for (const { agent, key, since } of begun) {
        const goOn = (nudge: Nudge) => waitingFor(agent)?.hold(key, nudge, since);
        const own = stages.of(agent);
        if (own === undefined) goOn(nudgeOf(record));
        else own.hold(key, nudgeOf(record), goOn);
      }
    },
    close() {
      for (const gate of [...gates.values(), ...pools.values()]) gate.close();
      stages.close();
    },
  };
}
