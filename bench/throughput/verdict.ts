/** Whether an order needs more CPU than before. */
import type { Pairs } from './pairs.ts';

export interface Verdict {
  readonly isWorse: boolean;
  readonly text: string;
}

/** @param max the highest ratio that is no regression, such as 1.05; what the noise may have added is no regression either */
export function verdict(
  { cpuRatio, noise }: Pick<Pairs, 'cpuRatio' | 'noise'>,
  max: number,
): Verdict {
  const limit = Math.round((max - 1) * 1_000) / 1_000;
  if (noise > limit) {
    return {
      isWorse: false,
      text: `Not decided: the commit before differs from itself by ${noise}, which is more than ${limit}. Measure on a machine with less other work.`,
    };
  }
  return cpuRatio > max + noise
    ? { isWorse: true, text: `An order needs more than ${max} of the CPU that it needed before.` }
    : {
        isWorse: false,
        text: `An order needs no more than ${max} of the CPU that it needed before, or the noise hides it.`,
      };
}
