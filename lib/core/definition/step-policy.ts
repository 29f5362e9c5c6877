/** The policy of a step from its options: the defaults, and what a record need not store. */
import { limits } from '#core/model/limits.ts';
import type { StepPolicy } from '#core/model/record.ts';
import type { StepOptions } from './workflow.ts';

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
  const holdMaxMs = options.holdMax ?? limits.holdMaxMs;
  return {
    completeWithinMs,
    maxDurationMs: options.maxDuration ?? completeWithinMs,
    retries: options.retries ?? 3,
    coolDownMs: options.coolDown?.after ?? limits.coolDownMinMs,
    coolDownTimes: options.coolDown?.times ?? 0,
    onFault: options.onFault ?? 'undo',
    onExhausted: options.onExhausted ?? (irreversible ? 'hold' : 'undo'),
    irreversible,
    ...(holdMaxMs !== limits.holdMaxMs && { holdMaxMs }),
  };
}
