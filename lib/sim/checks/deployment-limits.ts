/** The limits of agents, checked over all functions of a deployment. */
import { type LimitChecker, limitChecker } from '#checkers/process/limit-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { type AgentName, idempotencyKey } from '#core/model/ids.ts';
import { callPolicy } from '#core/model/policy.ts';
import { underWay } from '#core/model/record.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import type { AgentSettingTable } from '#sim/ports/sim-flow.ts';
import type { CountedCall } from '#sim/world/counted-calls.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf } from '#sim/world/sim-services.ts';
import { allowedAmounts, inForceAfterMs } from './allowed-amounts.ts';

/** See {@link deploymentLimits}. */
export interface DeploymentLimits extends Pick<LimitChecker, 'stored'> {
  /** A call begins; the returned function ends it, and may be called again. */
  began(agent: AgentName, attempt: CalledAttempt): () => void;
  /** The request of this attempt was delivered again. */
  repeated(attempt: CalledAttempt): void;
}

/** An attempt, with the key of its perform. */
export type CalledAttempt = Pick<CountedCall, 'key' | 'attempt'>;

const idOf = ({ key, attempt }: CalledAttempt) => `${key} ${attempt}`;

/** After the complete-by that is stored, the room of a call is free, ms: `graceMs` of lib/distributed/limits/known-holders.ts. */
const roomGraceMs = 5_000;

const nothing = () => {};

/**
 * R21: the calls that begin at a service, by true time, while clocks are right. A request that its queue delivers more than once
 * makes more calls than it has slots, all of one attempt: they are not counted. Neither is a call whose heartbeats were not stored in
 * time, from then on: its agent goes on, and its room is free. Whether room is used (R22) is for the
 * benchmarks: no single instant can be judged while functions wait for each other's messages.
 */
export function deploymentLimits(
  around: SimContext,
  settings: AgentSettingTable | null,
  breach: Breach,
): DeploymentLimits {
  const { timeline, faults, subject } = around;
  const checker = limitChecker({
    limits: subject.limits,
    now: timeline.now,
    faults: () => 0,
    mayBegin: () => false,
    // The further calls of an attempt have the rate that was in force when the attempt began.
    allowed: allowedAmounts(
      settings,
      around,
      inForceAfterMs + longestCallMs(subject.registries.old.all),
    ),
    breach(rule, message) {
      if (clocksWereRight(faults.hits)) breach(rule, message);
    },
  });
  const repeated = new Set<string>();
  const ends = new Map<string, () => void>();
  /** The stored complete-by of each attempt. */
  const completeBy = new Map<string, number>();

  function endOverdue(): void {
    for (const [id, end] of ends) {
      if ((completeBy.get(id) ?? Number.POSITIVE_INFINITY) + roomGraceMs < timeline.now()) end();
    }
  }

  return {
    began(agent, attempt) {
      const id = idOf(attempt);
      if (repeated.has(id)) return nothing;
      endOverdue();
      const ended = checker.began(agent, orderIdOf(attempt.key));
      const end = () => {
        ends.delete(id);
        ended();
      };
      ends.set(id, end);
      return end;
    },
    repeated(attempt) {
      repeated.add(idOf(attempt));
      ends.get(idOf(attempt))?.();
    },
    stored(record) {
      checker.stored(record);
      for (const { name, attempt, keyGeneration, progress } of record.steps) {
        if (!underWay(progress)) continue;
        const key = idempotencyKey(record.orderId, name, 'perform', keyGeneration);
        completeBy.set(idOf({ key, attempt }), progress.completeBy);
      }
    },
  };
}

/** The longest time of a call of a step, ms: no heartbeat moves a complete-by further ahead. */
function longestCallMs(definitions: readonly WorkflowDefinition[]): number {
  const steps = definitions.flatMap((definition) => definition.steps);
  return steps.reduce(
    (longest, { policy }) =>
      Math.max(
        longest,
        callPolicy(policy, 'perform').completeWithinMs,
        callPolicy(policy, 'undo').completeWithinMs,
      ),
    0,
  );
}
