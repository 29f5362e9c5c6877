/** The policy of a step from its options: the defaults, and what a record need not store. */
import { canonicalJson } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { type CallPolicy, type StepPolicy, usualUndoPolicy } from '#core/model/policy.ts';
import type { UndoAbility } from './agent.ts';
import type { CoolDown, StepOptions } from './workflow.ts';

/** The options of a step that make its policy. */
export type PolicyOptions = Pick<
  StepOptions<never, never, never, never, never>,
  | 'completeWithin'
  | 'maxDuration'
  | 'retries'
  | 'coolDown'
  | 'holdMax'
  | 'onFault'
  | 'onExhausted'
  | 'irreversible'
  | 'undo'
>;

/**
 * An optional field is left out where it is the default: a record holds the policy of each of its steps. A policy of an undo that never
 * happens is kept, so that it is refused.
 */
export function stepPolicy(options: PolicyOptions, ability: UndoAbility): StepPolicy {
  const completeWithinMs = options.completeWithin ?? 30_000;
  const irreversible = options.irreversible ?? false;
  const { holdMax: holdMaxMs = limits.holdMaxMs } = options;
  const perform: CallPolicy = {
    completeWithinMs,
    maxDurationMs: options.maxDuration ?? completeWithinMs,
    retries: options.retries ?? 3,
    ...coolDownPolicy(options.coolDown ?? { after: limits.coolDownMinMs, times: 0 }),
  };
  return {
    ...perform,
    onFault: options.onFault ?? 'undo',
    onExhausted: options.onExhausted ?? (irreversible ? 'hold' : 'undo'),
    irreversible,
    ...(holdMaxMs !== limits.holdMaxMs && { holdMaxMs }),
    ...(options.undo !== undefined &&
      undoPolicy(options.undo, perform, ability === 'offered' && !irreversible)),
  };
}

/** Of the undo, where it differs from the usual one. */
function undoPolicy(
  options: NonNullable<PolicyOptions['undo']>,
  perform: CallPolicy,
  mayHappen: boolean,
): Pick<StepPolicy, 'undo'> {
  const usual = usualUndoPolicy(perform);
  const { completeWithinMs, maxDurationMs, retries, ...coolDown } = usual;
  const undo: CallPolicy = {
    completeWithinMs: options.completeWithin ?? completeWithinMs,
    maxDurationMs: options.maxDuration ?? options.completeWithin ?? maxDurationMs,
    retries: options.retries ?? retries,
    ...(options.coolDown === undefined ? coolDown : coolDownPolicy(options.coolDown)),
  };
  const isUsual = canonicalJson({ ...undo }) === canonicalJson({ ...usual });
  return isUsual && mayHappen ? {} : { undo };
}

function coolDownPolicy({
  after,
  times,
  factor = 1,
  max = limits.coolDownMaxMs,
}: CoolDown): Pick<
  CallPolicy,
  'coolDownMs' | 'coolDownTimes' | 'coolDownFactor' | 'coolDownMaxMs'
> {
  return {
    coolDownMs: after,
    coolDownTimes: times,
    ...(factor !== 1 && { coolDownFactor: factor }),
    ...(max !== limits.coolDownMaxMs && { coolDownMaxMs: max }),
  };
}
