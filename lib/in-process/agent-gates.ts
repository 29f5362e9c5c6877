/** The gates of the agents of one process. */
import { assertThat } from '#core/model/errors.ts';
import type { Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { GateAnswers, Gates } from '#ports/gates.ts';
import {
  type AgentGate,
  type AgentGateOptions,
  agentGate,
  keyOf,
  waitingIn,
} from './agent-gate.ts';
import { poolGate } from './pool-gate.ts';
import type { WaitingSteps } from './waiting-steps.ts';

/** Options of {@link agentGates}. */
export interface AgentGatesOptions
  extends Omit<AgentGateOptions, 'agent' | 'concurrency' | 'pools'> {
  /** The calls that each agent makes at once, by its name. */
  readonly concurrencyOf: ReadonlyMap<string, number>;
  /** The members that may get any call of a pool, by its name. Default: there is no pool. */
  readonly pools?: ReadonlyMap<string, readonly string[]>;
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

  const gates = new Map<string, AgentGate>(
    [...concurrencyOf].map(([agent, concurrency]) => [
      agent,
      agentGate({ ...options, agent, concurrency, pools: poolsOf(agent) }),
    ]),
  );

  function of(agent: string): AgentGate {
    const gate = gates.get(agent);
    assertThat(gate !== undefined, `this process has an agent ${agent}`);
    return gate;
  }

  /** Where the step waits. An order of a former release may have steps of an agent that is gone. */
  function waitingFor(agent: string): Pick<AgentGate, 'hold' | 'forget'> | undefined {
    const pool = pools.get(agent);
    return gates.get(agent) ?? (pool && waitingIn(pool));
  }

  return {
    of,
    nudgeHeld: true,
    ask: (requests) => requests.map((request) => of(request.agent).ask(request)),
    release(requests) {
      for (const [agent, own] of Map.groupBy(requests, (request) => request.agent)) {
        of(agent).release(own);
      }
    },
    onRecord(record, before) {
      if (before?.isHeld === true) {
        for (const [at, step] of before.steps.entries()) {
          if (step.progress.state !== 'Held') continue;
          const now = record.steps[at];
          const waitsOn =
            now?.progress.state === 'Held' &&
            now.agent === step.agent &&
            keyOf(record, now) === keyOf(before, step);
          if (!waitsOn) waitingFor(step.agent)?.forget(before, step);
        }
      }
      if (record.isHeld === true) {
        for (const step of record.steps) {
          if (step.progress.state !== 'Held') continue;
          waitingFor(step.agent)?.hold(record, step, step.progress);
        }
      }
    },
    close() {
      for (const gate of [...gates.values(), ...pools.values()]) gate.close();
    },
  };
}
