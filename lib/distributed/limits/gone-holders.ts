/** The holders of one item of calls at once that have gone, which is not written yet. */

/** See above. */
export interface GoneHolders {
  has(holder: string): boolean;
  /** The first one that went first. */
  all(): readonly string[];
  /** @param isScarce others may want its room */
  left(holder: string, isScarce: boolean): void;
  /** It has gone, if it ever entered: there was no answer. */
  doubted(holder: string): void;
  /** It is written, or the holder comes again. */
  forget(holder: string): void;
  /** Whether they are to be written now: others may want their room, or they are many. */
  areWanted(): boolean;
}

/** They are written at the latest when there are so many. */
const unwrittenMax = 20;
/**
 * Of those that entered or not, so many are remembered: while an item cannot be written, each call that asks is a further one. The room of
 * the others is free after their time (R22). Those that have left are no more than the item has holders.
 */
const doubtedMax = 200;

/** Of one item; none at first. */
export function goneHolders(): GoneHolders {
  const gone = new Map<string, 'scarce' | 'plenty' | 'doubted'>();
  return {
    has: (holder) => gone.has(holder),
    all: () => [...gone.keys()],
    left(holder, isScarce) {
      gone.set(holder, isScarce ? 'scarce' : 'plenty');
    },
    doubted(holder) {
      gone.set(holder, 'doubted');
      const doubted = [...gone].filter(([, why]) => why === 'doubted');
      const [oldest] = doubted;
      if (doubted.length > doubtedMax && oldest !== undefined) gone.delete(oldest[0]);
    },
    forget: (holder) => void gone.delete(holder),
    areWanted: () =>
      gone.size >= unwrittenMax || [...gone.values()].some((why) => why !== 'plenty'),
  };
}
