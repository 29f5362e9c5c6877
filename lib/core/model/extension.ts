/**
 * Extensions of the stored form: during a deployment, functions of two releases work on the same orders.
 * This release keeps what a newer release added, and writes it back unchanged:
 *
 * 1. attributes of the record, not nested ({@link UnknownAttributes});
 * 2. elements after the known ones, in a step, its policy, its progress and a history entry
 *    ({@link Extensible});
 * 3. history entries of an unknown kind.
 *
 * A release that extends anything else, or whose extension an older release must not ignore, writes a
 * higher format version into the record; older releases then do not change the order.
 */
import type { JsonValue } from './json.ts';

/**
 * The version of the stored form of records and changes that this release understands. A record has the lowest version that
 * says what it holds: 5 with the document of its order, because a release of version 4 would look for it elsewhere, and not find it; 4 with a singleton key, because a release of version 3 would begin it before its turn (one that does not know
 * that a later order may replace it writes that back, and begins no order that was replaced, because it was cancelled); 3 from when on a step was undone first, because a release of version 2 would perform it again instead, and
 * repeat the key of its undo; 2 while a step is held, which releases of version 1 do not know; else 1, which is not stored.
 */
export const formatVersion = 5;

/** Attributes of a record that this release does not know, by name. */
export type UnknownAttributes = Readonly<Record<string, string | number | null>>;

/** Is stored as an array, which can be longer than this release knows. */
export interface Extensible {
  /** The elements after the known ones; never empty. */
  readonly tail?: readonly JsonValue[];
}

/** For a decoder: the `tail` property, if there are further elements. */
export const tailOf = (tail: readonly JsonValue[]): Extensible =>
  tail.length === 0 ? {} : { tail };

/** For an encoder: the known elements, then the tail. */
export const withTail = (known: readonly unknown[], { tail }: Extensible): readonly unknown[] =>
  tail === undefined ? known : [...known, ...tail];
