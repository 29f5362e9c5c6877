/**
 * The outbox of a state store: who must still be told of which committed change. A store writes the entries in
 * the transaction of the change, so that a crash loses none. DynamoDB has a change stream in its place.
 */
import type { Audience, Change } from '#core/model/change.ts';

/** A change, one of those who must be told of it, and the number of this entry. */
export interface StoredChange {
  readonly seq: number;
  readonly change: Change;
  readonly audience: Audience;
}

/** There is one consumer: the process that has the store open. */
export interface Outbox {
  /**
   * Calls `listener` with every entry: those left from before at once, in the order of their commits, then each
   * one when it is committed.
   */
  watchChanges(listener: (change: StoredChange) => void): void;
  /**
   * They were told: the entry need not survive a crash any more.
   *
   * @throws {UnavailableError} whether it was deleted is not known: they may be told again after the next start
   */
  deleteChange(seq: number): Promise<void>;
}
