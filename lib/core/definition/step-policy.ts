/** The policy of a step from its options: the defaults, and what a record need not store. */
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/record.ts';
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
>;

/** An optional field is left out where it is the default: a record holds the policy of each of its steps. */
export function stepPolicy(options: PolicyOptions): StepPolicy {
  const completeWithinMs = options.completeWithin ?? 30_000;
  const irreversible = options.irreversible ?? false;
  const { coolDown, holdMax: holdMaxMs = limits.holdMaxMs } = options;
  return {
    completeWithinMs,
    maxDurationMs: options.maxDuration ?? completeWithinMs,
    retries: options.retries ?? 3,
    coolDownMs: coolDown?.after ?? limits.coolDownMinMs,
    coolDownTimes: coolDown?.times ?? 0,
    onFault: options.onFault ?? 'undo',
    onExhausted: options.onExhausted ?? (irreversible ? 'hold' : 'undo'),
    irreversible,
    ...(holdMaxMs !== limits.holdMaxMs && { holdMaxMs }),
    ...growth(coolDown),
  };
}

function growth(
  coolDown: CoolDown | undefined,
): Pick<StepPolicy, 'coolDownFactor' | 'coolDownMaxMs'> {
  const { factor = 1, max = limits.coolDownMaxMs } = coolDown ?? {};
  return {
    ...(factor !== 1 && { coolDownFactor: factor }),
    ...(max !== limits.coolDownMaxMs && { coolDownMaxMs: max }),
  };
}
