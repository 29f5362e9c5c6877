/** Checks that the numbers of a policy are within their limits. */
import type { ErrorCode } from '#core/model/error-codes.ts';
import type { DefinitionError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/record.ts';

/** Makes the error for a policy. */
export type PolicyRefusal = (
  code: ErrorCode<'DefinitionError'>,
  problem: string,
) => DefinitionError;

/** Throws unless a whole number is within its limits. */
type Within = (label: string, value: number, min: number, max: number) => void;

/** @throws {DefinitionError} `policy-range` when a number is out of its range */
export function checkPolicy(
  policy: StepPolicy,
  outputBytesMax: number | undefined,
  refuse: PolicyRefusal,
): void {
  const within: Within = (label, value, min, max) => {
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw refuse('policy-range', `${label} is ${value}; allowed is ${min} to ${max}`);
    }
  };
  const { completeWithinMs, maxDurationMs, holdMaxMs = limits.holdMaxMs } = policy;
  const { completeWithinMinMs, completeWithinMaxMs, maxDurationMaxMs } = limits;
  within('completeWithin (ms)', completeWithinMs, completeWithinMinMs, completeWithinMaxMs);
  const longest = (completeWithinMs * limits.heartbeatsPerAttemptMax) / 2;
  const latest = Math.min(maxDurationMaxMs, longest);
  within('maxDuration (ms)', maxDurationMs, completeWithinMs, latest);
  within('retries', policy.retries, 0, limits.retriesMax);
  within('coolDown.times', policy.coolDownTimes, 0, limits.coolDownTimesMax);
  checkGrowth(policy, within, refuse);
  within('outputBytesMax', outputBytesMax ?? 2, 2, limits.outputBytesMax);
  within('holdMax (ms)', holdMaxMs, limits.holdMaxMinMs, limits.holdMaxMaxMs);
}

function checkGrowth(
  { coolDownMs, coolDownFactor: factor = 1, coolDownMaxMs = limits.coolDownMaxMs }: StepPolicy,
  within: Within,
  refuse: PolicyRefusal,
): void {
  within('coolDown.after (ms)', coolDownMs, limits.coolDownMinMs, limits.coolDownMaxMs);
  within('coolDown.max (ms)', coolDownMaxMs, coolDownMs, limits.coolDownMaxMs);
  // The factor may be a fraction; NaN is in no range.
  if (!(factor >= 1 && factor <= limits.coolDownFactorMax)) {
    const range = `1 to ${limits.coolDownFactorMax}`;
    throw refuse('policy-range', `coolDown.factor is ${factor}; allowed is ${range}`);
  }
}
