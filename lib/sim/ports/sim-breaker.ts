/**
 * A breaker that is wrong at times: it refuses calls to a service that is healthy, and learns the opposite of how a call ended.
 * Every order ends, however wrong its circuits are (R26).
 */
import type { ProbeChecker } from '#checkers/process/probe-checker.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { ImmediateBreaker } from '#ports/breaker.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

/** How long an attempt waits that was refused wrongly, ms. */
const retryAfterMs = 2_000;

export function simBreaker(
  agent: AgentName,
  inner: ImmediateBreaker,
  { faults }: SimContext,
  probes: ProbeChecker,
): ImmediateBreaker {
  return {
    ...inner,
    admit(request, completeBy) {
      if (faults.strike('health-unknown')) return { gate: 'circuit', retryAfterMs };
      const admitted = inner.admit(request, completeBy);
      if ('gate' in admitted) return admitted;
      const ended = probes.began(agent, request);
      const end = (isAnswered: boolean) => {
        const reported = faults.strike('health-misread') ? !isAnswered : isAnswered;
        ended(reported ? admitted.answered : admitted.failed);
      };
      const { isProbe } = admitted;
      return { isProbe, answered: () => end(true), failed: () => end(false) };
    },
  };
}
