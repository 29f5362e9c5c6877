/** Which orders with a held step may be claimed: those that do not cool down. */
import type { ProcessRecord } from '#core/model/record.ts';

/** Whether an order with a held step may be claimed, or resumed, at this instant: it waits for nothing but its gates. */
export function isClaimable(
  { processState, notBefore, steps }: ProcessRecord,
  at: number,
): boolean {
  const untils = steps.flatMap(({ progress }) =>
    progress.state === 'Held' ? [progress.until] : [],
  );
  return processState === 'Processing' || notBefore <= at || notBefore === Math.min(...untils);
}
