/**
 * The outbox of a state store: the notifications that are not delivered yet. A store writes the entries in
 * the transaction of the change, so that a crash loses none. With DynamoDB, its change stream has this role.
 */
import type { Audience, Change } from '#core/model/change.ts';

/** One entry: a change and the audience to notify. `seq`: the number of the entry. */
export interface StoredChange {
  readonly seq: number;
  readonly change: Change;
  readonly audience: Audience;
}

/** Entries in the order of their commits. */
export interface ChangePage {
  /** Without damaged ones, which are reported. */
  readonly entries: readonly StoredChange[];
  /** The number after which the next page begins; null: there is none yet. */
  readonly next: number | null;
}

/** It has one consumer: the process that has the store open. */
export interface Outbox {
  /** The stored entries whose number is larger than `after`, at most `limit`. */
  changes(after: number, limit: number): ChangePage;
  /** Calls `listener` with each new entry after its commit. */
  watchChanges(listener: (change: StoredChange) => void): void;
  /**
   * Deletes the entry of a delivered notification.
   *
   * @throws {UnavailableError} the entry may still exist: the notification may be delivered again after the next start
   */
  deleteChange(seq: number): Promise<void>;
}
