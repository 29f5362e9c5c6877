/** The pauses between rounds of attempts, which may grow: `rounds.ts` has the picture. */
import { limits } from '#core/model/limits.ts';
import type { CallPolicy } from '#core/model/policy.ts';

type Growth = Pick<CallPolicy, 'coolDownMs' | 'coolDownFactor' | 'coolDownMaxMs'>;

/**
 * The length of the cool-down after this round, ms. Multiplied step by step instead of by a power, which engines
 * round differently, and only up to the maximum, so that no product overflows (R15).
 *
 * @param round from 1
 */
export function coolDownAfter(
  { coolDownMs, coolDownFactor = 1, coolDownMaxMs = limits.coolDownMaxMs }: Growth,
  round: number,
): number {
  let lengthMs = coolDownMs;
  for (let at = 1; at < round && lengthMs < coolDownMaxMs && coolDownFactor > 1; at += 1) {
    lengthMs *= coolDownFactor;
  }
  return Math.round(Math.min(lengthMs, coolDownMaxMs));
}
