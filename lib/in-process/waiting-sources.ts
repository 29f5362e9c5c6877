/** The lists of steps that wait for one agent: its own, and those of its pools. */
import type { WaitingSteps } from './waiting-steps.ts';

/** See {@link waitingSources}. */
export interface WaitingSources {
  isEmpty(): boolean;
  /** Gives free slots to those that wait: each list is first in turn. */
  fill(): void;
}

/** A list of steps that wait. */
type Source = Pick<WaitingSteps, 'size' | 'fill'>;

/** Gives free slots to the steps of several lists: each of them is first in turn. */
export function fillInTurn(): (sources: readonly Source[]) => void {
  let turn = 0;
  return (sources) => {
    const waited = sources.filter((source) => source.size() > 0);
    turn = (turn + 1) % Math.max(1, waited.length);
    for (const source of [...waited.slice(turn), ...waited.slice(0, turn)]) source.fill();
  };
}

/** @param sources at least one */
export function waitingSources(sources: readonly Source[]): WaitingSources {
  const fill = fillInTurn();
  const isEmpty = () => {
    for (const source of sources) if (source.size() > 0) return false;
    return true;
  };
  return {
    isEmpty,
    fill() {
      // The end of each call comes here.
      if (!isEmpty()) fill(sources);
    },
  };
}
