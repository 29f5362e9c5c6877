/** The holders of one item of calls at once that have gone, which is not written yet. */
import { isOlder } from '../read-age.ts';

/** See above. */
export interface GoneHolders {
  has(holder: string): boolean;
  /** The first one that went first. */
  all(): readonly string[];
  /** @param isScarce others may want its room */
  left(holder: string, isScarce: boolean, nowMs: number): void;
  /** It has gone, if it ever entered: there was no answer. */
  doubted(holder: string, nowMs: number): void;
  /** It is written, or the holder comes again. */
  forget(holder: string): void;
  /**
   * When they are to be written, if no write of those that come names them before.
   *
   * @param endOf until when a holder has room if it is not written; undefined: that is not known
   */
  due(nowMs: number, endOf: (holder: string) => number | undefined): GoneDue;
}

/** `later`: after some time, if they are still there then. */
export type GoneDue = 'now' | 'later' | 'never';

interface Gone {
  /** `plenty`: there is room for others. */
  readonly why: 'scarce' | 'plenty' | 'doubted';
  /** Since when, ms since the epoch. */
  readonly since: number;
}

/** They are written at the latest when there are so many. */
const unwrittenMax = 20;
/**
 * Those that have gone from plenty of room are written with the calls that come. If none has come for so long, ms, there may be none for long,
 * and up to half of the room is free for no other instance until their time. A write of each for that reason would nearly double the cost of a
 * limit that has a call now and then, so those whose time is over soon anyway are left to it.
 */
const plenty = { writtenAfterMs: 10_000, ifLeftMs: 30_000 };
/**
 * Of those that entered or not, so many are remembered: while an item cannot be written, each call that asks is a further one. The room of
 * the others is free after their time (R22). Those that have left are no more than the item has holders.
 */
const doubtedMax = 200;

/** Of one item; none at first. */
export function goneHolders(): GoneHolders {
  const gone = new Map<string, Gone>();
  return {
    has: (holder) => gone.has(holder),
    all: () => [...gone.keys()],
    left(holder, isScarce, nowMs) {
      gone.set(holder, { why: isScarce ? 'scarce' : 'plenty', since: nowMs });
    },
    doubted(holder, nowMs) {
      gone.set(holder, { why: 'doubted', since: nowMs });
      const doubted = [...gone].filter(([, { why }]) => why === 'doubted');
      const [oldest] = doubted;
      if (doubted.length > doubtedMax && oldest !== undefined) gone.delete(oldest[0]);
    },
    forget: (holder) => void gone.delete(holder),
    due(nowMs, endOf) {
      const all = [...gone];
      if (all.length >= unwrittenMax || all.some(([, { why }]) => why !== 'plenty')) return 'now';
      const lasting = all.filter(
        ([holder]) => (endOf(holder) ?? Number.POSITIVE_INFINITY) - nowMs >= plenty.ifLeftMs,
      );
      if (lasting.length === 0) return 'never';
      const isDue = lasting.some(([, { since }]) => isOlder(since, plenty.writtenAfterMs, nowMs));
      return isDue ? 'now' : 'later';
    },
  };
}
