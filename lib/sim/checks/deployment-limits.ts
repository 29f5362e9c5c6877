/** The limits of agents, checked over all functions of a deployment. */
import { type LimitChecker, limitChecker } from '#checkers/process/limit-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AgentName, IdempotencyKey } from '#core/model/ids.ts';
import { callPolicy } from '#core/model/policy.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import type { AgentSettingTable } from '#sim/ports/sim-flow.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf } from '#sim/world/sim-services.ts';
import { allowedAmounts, inForceAfterMs } from './allowed-amounts.ts';

/** See {@link deploymentLimits}. */
export interface DeploymentLimits extends Pick<LimitChecker, 'stored'> {
  /** A call begins; the returned function ends it, and may be called again. */
  began(agent: AgentName, key: IdempotencyKey): () => void;
  /** A request with this key of a perform was delivered again. */
  repeated(key: IdempotencyKey): void;
}

const nothing = () => {};

/**
 * R21: the calls that begin at a service, by true time, while clocks are right. A request that its queue delivers more than once
 * makes more calls than it has slots, all with one idempotency key: they are not counted. Whether room is used (R22) is for the
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
  const repeated = new Set<IdempotencyKey>();
  const ends = new Map<IdempotencyKey, () => void>();
  return {
    began(agent, key) {
      if (repeated.has(key)) return nothing;
      const end = checker.began(agent, orderIdOf(key));
      ends.set(key, end);
      return end;
    },
    repeated(key) {
      repeated.add(key);
      ends.get(key)?.();
    },
    stored: checker.stored,
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
