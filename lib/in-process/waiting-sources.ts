/** The lists of steps that wait for one agent: its own, and those of its pools. */
import type { WaitingSteps } from './waiting-steps.ts';

/** See {@link waitingSources}. */
export interface WaitingSources {
  isEmpty(): boolean;
  /** Gives free slots to those that wait: each list is first in turn. */
  fill(): void;
}

/** @param sources at least one */
export function waitingSources(
  sources: readonly Pick<WaitingSteps, 'size' | 'fill'>[],
): WaitingSources {
  let turn = 0;
  const isEmpty = () => {
    for (const source of sources) if (source.size() > 0) return false;
    return true;
  };
  return {
    isEmpty,
    fill() {
      // The end of each call comes here.
      if (isEmpty()) return;
      const waited = sources.filter((source) => source.size() > 0);
      turn = (turn + 1) % Math.max(1, waited.length);
      for (const source of [...waited.slice(turn), ...waited.slice(0, turn)]) source.fill();
    },
  };
}
