/** Checks that the numbers of a policy are within their limits. */
import type { ErrorCode } from '#core/model/error-codes.ts';
import type { DefinitionError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { CallPolicy, Remedy } from '#core/model/policy.ts';
import type { UncheckedStep } from './workflow-check.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** Makes the error for a policy. */
export type PolicyRefusal = (
  code: ErrorCode<'DefinitionError'>,
  problem: string,
) => DefinitionError;

/**
 * @throws {DefinitionError} `policy-range` when a number is out of its range; `undo-unused` when the step has a policy for
 *   its undo, and is never undone
 */
export function checkPolicy(
  { policy, undo, outputBytesMax = 2 }: UncheckedStep,
  refuse: PolicyRefusal,
): void {
  const within = withinOr(refuse);
  checkCalls(policy, '', limits.coolDownTimesMax, refuse);
  within('outputBytesMax', outputBytesMax, 2, limits.outputBytesMax);
  const { holdMaxMs = limits.holdMaxMs } = policy;
  within('holdMax (ms)', holdMaxMs, limits.holdMaxMinMs, limits.holdMaxMaxMs);
  if (policy.undo === undefined) return;
  if (policy.irreversible || undo !== 'offered') {
    const why = policy.irreversible ? 'is irreversible' : `its agent offers no undo`;
    throw refuse('undo-unused', `has the option "undo", and ${why}: remove the option`);
  }
  checkCalls(policy.undo, 'undo.', limits.undoCoolDownTimesMax, refuse);
}

/**
 * The deadline of the orders of a workflow, if it has one.
 *
 * @throws {DefinitionError} `policy-range` when it is out of its range; `on-late-unused` when it is missing
 */
export function deadlineOf(
  completeWithinMs: number | undefined,
  onLate: Remedy | undefined,
  refuse: PolicyRefusal,
): Pick<WorkflowDefinition, 'deadline'> {
  if (completeWithinMs === undefined) {
    if (onLate === undefined) return {};
    throw refuse('on-late-unused', 'has onLate, and no completeWithin: state both or neither');
  }
  const { orderWithinMinMs, orderWithinMaxMs } = limits;
  withinOr(refuse)('completeWithin (ms)', completeWithinMs, orderWithinMinMs, orderWithinMaxMs);
  return { deadline: { completeWithinMs, onLate: onLate ?? 'hold' } };
}

/** Throws unless a whole number is within its limits. */
const withinOr =
  (refuse: PolicyRefusal) =>
  (label: string, value: number, min: number, max: number): void => {
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw refuse('policy-range', `${label} is ${value}; allowed is ${min} to ${max}`);
    }
  };

/** @param prefix of the names of the options */
function checkCalls(
  policy: CallPolicy,
  prefix: string,
  coolDownTimesMax: number,
  refuse: PolicyRefusal,
): void {
  const within = withinOr(refuse);
  const { completeWithinMs, maxDurationMs, coolDownMs, coolDownFactor: factor = 1 } = policy;
  const { completeWithinMinMs, completeWithinMaxMs, maxDurationMaxMs } = limits;
  const completeWithin = `${prefix}completeWithin (ms)`;
  within(completeWithin, completeWithinMs, completeWithinMinMs, completeWithinMaxMs);
  const longest = (completeWithinMs * limits.heartbeatsPerAttemptMax) / 2;
  const durationMaxMs = Math.min(maxDurationMaxMs, longest);
  within(`${prefix}maxDuration (ms)`, maxDurationMs, completeWithinMs, durationMaxMs);
  within(`${prefix}retries`, policy.retries, 0, limits.retriesMax);
  within(`${prefix}coolDown.times`, policy.coolDownTimes, 0, coolDownTimesMax);
  const { coolDownMinMs, coolDownMaxMs, coolDownFactorMax } = limits;
  within(`${prefix}coolDown.after (ms)`, coolDownMs, coolDownMinMs, coolDownMaxMs);
  const mostMs = policy.coolDownMaxMs ?? coolDownMaxMs;
  within(`${prefix}coolDown.max (ms)`, mostMs, coolDownMs, coolDownMaxMs);
  // The factor may be a fraction; NaN is in no range.
  if (!(factor >= 1 && factor <= coolDownFactorMax)) {
    const allowed = `allowed is 1 to ${coolDownFactorMax}`;
    throw refuse('policy-range', `${prefix}coolDown.factor is ${factor}; ${allowed}`);
  }
}
