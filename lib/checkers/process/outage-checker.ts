/** Checks that an outage counts no failure once its circuit is open (R23). It lives as long as the process. */

import { attemptOf } from '#checkers/send-checker.ts';
import { dispatchedIn, type RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import { callPolicy } from '#core/model/policy.ts';
import { actionOf, findStep, type StepRecord, underWay } from '#core/model/record.ts';

/**
 * Returns what takes each write of the process.
 *
 * @param now the present time of the process, ms since the epoch
 * @param outageOf a text that stays the same while the service answers each call with a fault, the circuit knows it, and
 * nothing else fails for the order; null at other times
 */
export function outageChecker(
  now: () => number,
  outageOf: (agent: AgentName, orderId: OrderId) => string | null,
  breach: Breach,
) {
  /** The attempts that began in an outage, with its text. */
  const begun = new Map<string, string>();
  return (write: RecordPair): void => {
    const { before, after } = write;
    for (const step of dispatchedIn(write)) {
      const { name, agent, attempt } = step;
      const outage = outageOf(agent, after.orderId);
      if (outage !== null && hasTime(step, now()))
        begun.set(attemptOf(after.orderId, name, attempt), outage);
    }
    const entry = after.history.at(-1);
    if (before === null || entry?.type !== 'expired') return;
    for (const name of entry.steps) {
      const step = findStep(before, name);
      if (step === undefined) continue;
      const id = attemptOf(after.orderId, name, step.attempt);
      const outage = begun.get(id);
      if (outage !== undefined && outage === outageOf(step.agent, after.orderId)) {
        breach('R23', `${id} began while the circuit was open, and counted as a failure`);
      }
    }
  };
}

/** A probe that fails gives its attempt back in the last tenth of its time: with less than this in all, ms, that may be too late. */
const probedWithinMinMs = 500;

/** A write that took most of the time of its attempt may send the request when it is too late to begin. */
function hasTime({ progress, policy }: StepRecord, nowMs: number): boolean {
  if (!underWay(progress)) return false;
  const { completeWithinMs } = callPolicy(policy, actionOf(progress));
  return (
    completeWithinMs >= probedWithinMinMs && progress.completeBy - nowMs > completeWithinMs / 2
  );
}
