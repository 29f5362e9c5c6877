/** Who has room in one item of calls at once, as one instance knows it from its last write. */
import { clockToleranceMs } from '#core/decide/due.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import { type Holders, holdersNamedMax, type LimitItems } from '#ports/limit-items.ts';
import { type GoneDue, goneHolders } from './gone-holders.ts';

/** See above. */
export interface KnownHolders {
  /** How many have room. */
  used(): number;
  /** How many may come with the next write, which makes room by those alone that it names; 0 or less: none. */
  roomOfWrite(max: number): number;
  /** When the last read of it began, ms since the epoch; `-Infinity`: there was none. */
  readAt(): number;
  /**
   * Lets these come, and as many as a write may name go. False: another instance changed the item, or there is no room.
   *
   * @param max holders at once
   * @throws {UnavailableError}
   */
  write(come: Holders, max: number): Promise<boolean>;
  /** The holder may stay until then. False: it has no room. @throws {UnavailableError} */
  extend(holder: string, until: number): Promise<boolean>;
  /** The holder has gone. `isScarce`: others may want its room. */
  left(holder: string, isScarce: boolean): void;
  /** The holder has gone, if it ever entered: there was no answer. */
  doubted(holder: string): void;
  /** When those that have gone are to be written. */
  goneDue(): GoneDue;
}

/** Options of {@link knownHolders}. */
export interface KnownHoldersOptions {
  readonly items: LimitItems;
  readonly clock: Pick<Clock, 'now'>;
}

/** After complete-by, a holder has room for so long: clocks differ, and a call takes a moment to end, ms. */
export const graceMs = 5_000;
/**
 * No correct clock gives room for longer than that from now, ms: in any release, whose calls may be longer than those of this one. During a
 * deployment, both use the same items.
 */
const longestMs = limits.completeWithinMaxMs + graceMs + clockToleranceMs;
/** An item is kept for so long after the time of its last holder, ms: clocks differ. */
const keepMs = 24 * 60 * 60_000;
/**
 * Until when an item is kept after a write. The writer knows neither all holders nor who of them is extended later, but none
 * has room for longer than `longestMs` from now.
 */
const keptUntil = (nowMs: number) => nowMs + longestMs + keepMs;
/** With one write so many come at most, and so many go. */
const namedMax = Math.floor(holdersNamedMax / 2);

/** Whether those who come are there already: the client repeated a write whose answer was lost. */
const isRepeated = (come: Holders, holders: Holders) =>
  come.size > 0 && [...come].every(([holder, until]) => holders.get(holder) === until);

/** Nothing is known at first. */
export function knownHolders({ items, clock }: KnownHoldersOptions, name: string): KnownHolders {
  let holders: Holders = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  const gone = goneHolders();

  /** Those of the stored holders that have gone, or whose time is over or was written by a wrong clock. */
  function free(): readonly (readonly [holder: string, until: number])[] {
    const nowMs = clock.now();
    const latest = nowMs + longestMs;
    return [...holders].filter(
      ([holder, until]) => gone.has(holder) || until < nowMs || until > latest,
    );
  }

  return {
    used: () => holders.size - free().length,
    roomOfWrite(max) {
      const going = Math.min(namedMax, free().length);
      return Math.min(namedMax, max - holders.size + going);
    },
    readAt: () => readAt,
    async write(come, max) {
      const at = clock.now();
      const before = gone.all();
      const known = new Map(free().slice(0, namedMax));
      const left = before.filter((holder) => !holders.has(holder) && !come.has(holder));
      const written = await items.occupy(name, {
        ...{ come, gone: known, left: left.slice(0, namedMax - known.size), max },
        keepUntil: keptUntil(clock.now()),
      });
      holders = written.holders;
      readAt = at;
      const isDone = written.isDone || isRepeated(come, holders);
      // Those that are not there have no room to give back.
      for (const holder of before) if (!holders.has(holder)) gone.forget(holder);
      if (isDone) for (const holder of come.keys()) gone.forget(holder);
      return isDone;
    },
    async extend(holder, until) {
      const keepUntil = keptUntil(clock.now());
      const isExtended = await items.extend(name, holder, { until, keepUntil });
      if (isExtended && holders.has(holder)) holders = new Map(holders).set(holder, until);
      return isExtended;
    },
    left: (holder, isScarce) => gone.left(holder, isScarce, clock.now()),
    doubted: (holder) => gone.doubted(holder, clock.now()),
    goneDue: () => gone.due(clock.now(), (holder) => holders.get(holder)),
  };
}
