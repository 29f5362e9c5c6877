/**
 * What the instances of a deployment store of the limits that they share: one item for each rate, and for each number of calls
 * at once, of a limit and key. Every method may throw {@link UnavailableError}; what it was to store may then be stored, and is
 * lost until it expires by itself. Instants are ms since the epoch.
 */

/** The stored items. */
export interface LimitItems {
  /** Moves the instant at which the next call of a rate may begin, or reserves one that is further ahead. */
  advance(name: string, change: Advance): Promise<Advanced>;
  /** Changes who has room. */
  occupy(name: string, change: Occupation): Promise<Occupied>;
  /** A holder that has room has it until then. One that has none gets none: false. */
  extend(name: string, holder: string, extension: Extension): Promise<boolean>;
}

/** By how much or to where the instant moves, and where it must be for that. */
export type Advance = { readonly keepUntil: number } & (
  | {
      readonly kind: 'move';
      readonly byMs: number;
      /** It must be at `from` or later, and before `before`. */
      readonly from: number;
      readonly before: number;
    }
  | {
      readonly kind: 'restart';
      readonly to: number;
      /** There must be none, or one before `from`, or one after `after`, which no correct clock can have stored. */
      readonly from: number;
      readonly after: number;
    }
  | {
      readonly kind: 'reserve';
      /**
       * The instant of a call, a whole number of ms, at most {@link reserveAheadMs} after `nowMs`. It must not be reserved, and the
       * instant of the next call must not be after it, but for `after`.
       */
      readonly reserved: number;
      /** Instants that are reserved {@link reservedForMs} before may be forgotten. */
      readonly nowMs: number;
      readonly after: number;
    }
);

/** An instant is reserved so far ahead, at most. */
export const reserveAheadMs = 4_000;
/** A reserved instant is known for so long after it, at least. */
export const reservedForMs = 500;

/**
 * `isMoved`: by this write, or reserved. `at`: the instant before a move, or after a restart; what is stored, where nothing moved,
 * null for none.
 */
export interface Advanced {
  readonly isMoved: boolean;
  readonly at: number | null;
  /** The instants that were reserved before this write, in any order. */
  readonly reserved: readonly number[];
}

/** Holders by name, and until when each has room at the latest. */
export type Holders = ReadonlyMap<string, number>;

/** DynamoDB refuses an expression of more than 4 KB: some 150 holders that must be there. */
export const holdersNamedMax = 50;

/** Who comes and who goes: together at most {@link holdersNamedMax}. */
export interface Occupation {
  readonly come: Holders;
  /** They must be there, with these instants. */
  readonly gone: Holders;
  /** They go if they are there. */
  readonly left: readonly string[];
  /** Holders at once. */
  readonly max: number;
  /** The item may be deleted after this: a time when none of its holders, also of other instances, has room any more. */
  readonly keepUntil: number;
}

/** How long a holder has room from now on. */
export interface Extension {
  readonly until: number;
  /** As of an {@link Occupation}. */
  readonly keepUntil: number;
}

/** The holders after the write, or those that are stored if it was not made. */
export interface Occupied {
  readonly isDone: boolean;
  readonly holders: Holders;
}

/** Whether a store takes a write that names so many. */
export const areFewHolders = ({ come, gone, left }: Occupation): boolean =>
  come.size + gone.size + left.length <= holdersNamedMax;

/** What a write does to the holders of an item, in every store. */
export function occupied(
  holders: Holders,
  { come, gone, left, max }: Omit<Occupation, 'keepUntil'>,
): Occupied {
  const areThere = [...gone].every(([holder, until]) => holders.get(holder) === until);
  const hasRoom = come.size === 0 || holders.size <= max - come.size + gone.size;
  if (!areThere || !hasRoom) return { isDone: false, holders };
  const away = new Set([...gone.keys(), ...left]);
  const kept = [...holders].filter(([holder]) => !away.has(holder));
  return { isDone: true, holders: new Map([...kept, ...come]) };
}
