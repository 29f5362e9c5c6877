/**
 * The stored form can be extended: during a deployment, functions of two releases work on the same orders.
 * What a newer release stored beside what this one knows is kept, and written back as it was read:
 *
 * 1. attributes of the record, flat as all of them ({@link UnknownAttributes});
 * 2. elements behind those that this release knows, in a step, its policy, its progress and a history entry
 *    ({@link Extensible});
 * 3. history entries of a kind that this release does not know.
 *
 * A release that extends anything else, or whose extension an older release must not pass over, writes a
 * higher format version into the record: an older release then leaves the order alone.
 */
import type { JsonValue } from './json.ts';

/** The version of the stored form of records and changes that this release understands. */
export const formatVersion = 1;

/** Attributes of a record that this release does not know, by name. */
export type UnknownAttributes = Readonly<Record<string, string | number | null>>;

/** Stored as an array, which may be longer than this release knows. */
export interface Extensible {
  /** The elements behind those that this release knows; never empty. */
  readonly tail?: readonly JsonValue[];
}

/** For a value that was read: its tail, if there is one. */
export const tailOf = (tail: readonly JsonValue[]): Extensible =>
  tail.length === 0 ? {} : { tail };

/** For a value that is written: what this release knows, then the tail. */
export const withTail = (known: readonly unknown[], { tail }: Extensible): readonly unknown[] =>
  tail === undefined ? known : [...known, ...tail];
