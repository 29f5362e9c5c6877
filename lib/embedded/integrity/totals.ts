/**
 * The totals: counts of everything ever committed, in one row that each commit updates in its own transaction. A start
 * compares them with those of the totals file (totals-file.ts).
 */

import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import * as z from 'zod';

/** Counts since the data was created. */
export interface Totals {
  /** Identifies the data: 16 characters. */
  readonly store: string;
  /** Groups committed. */
  readonly commits: number;
  /** Orders accepted. */
  readonly accepted: number;
  /** The revisions of all orders, those forgotten included. */
  readonly revisions: number;
  /** Orders forgotten after their end. */
  readonly forgotten: number;
}

export const totalsSchema = `
  CREATE TABLE IF NOT EXISTS Totals (
    One INTEGER PRIMARY KEY CHECK (One = 1),
    Store TEXT NOT NULL,
    Commits INTEGER NOT NULL,
    Accepted INTEGER NOT NULL,
    Revisions INTEGER NOT NULL,
    Forgotten INTEGER NOT NULL,
    Checksum INTEGER NOT NULL
  ) STRICT;
`;

const count = z.int().nonnegative();
const totalsRow = z.object({
  Store: z.string().length(16),
  Commits: count,
  Accepted: count,
  Revisions: count,
  Forgotten: count,
  Checksum: z.int(),
});

/** The committed totals, and those of the open transaction. */
export interface RunningTotals {
  readonly current: Totals;
  accepted(): void;
  /** The revision of an order has grown by so much. */
  revised(by: number): void;
  forgot(): void;
  /** Call in the transaction, after all its writes. */
  write(): void;
  /** Call after the commit. */
  keep(): void;
  /** Call after a rollback. */
  revert(): void;
}

export function runningTotals(database: DatabaseSync, from: Totals): RunningTotals {
  const update = database.prepare(
    'UPDATE Totals SET Commits = ?, Accepted = ?, Revisions = ?, Forgotten = ?, Checksum = ? WHERE One = 1',
  );
  let kept = from;
  let { accepted, revisions, forgotten } = from;
  let next = from;
  return {
    get current() {
      return kept;
    },
    accepted() {
      accepted += 1;
      revisions += 1;
    },
    revised(by) {
      revisions += by;
    },
    forgot() {
      forgotten += 1;
    },
    write() {
      next = { store: kept.store, commits: kept.commits + 1, accepted, revisions, forgotten };
      update.run(next.commits, accepted, revisions, forgotten, checksum(next));
    },
    keep() {
      kept = next;
    },
    revert() {
      ({ accepted, revisions, forgotten } = kept);
    },
  };
}

/** `absent`: an older Reeve made the database, or it is new. */
export type StoredTotals =
  | { readonly kind: 'absent' | 'damaged' }
  | { readonly kind: 'read'; readonly totals: Totals };

export function readTotals(database: DatabaseSync): StoredTotals {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'Totals'").get();
  if (table === undefined) return { kind: 'absent' };
  const row = totalsRow.safeParse(database.prepare('SELECT * FROM Totals').get());
  if (!row.success) return { kind: 'damaged' };
  const { Store: store, Commits: commits, Accepted: accepted } = row.data;
  const { Revisions: revisions, Forgotten: forgotten } = row.data;
  const totals = { store, commits, accepted, revisions, forgotten };
  return checksum(totals) === row.data.Checksum ? { kind: 'read', totals } : { kind: 'damaged' };
}

/** Inserts or replaces the row. */
export function writeTotals(database: DatabaseSync, totals: Totals): void {
  const { store, commits, accepted, revisions, forgotten } = totals;
  database
    .prepare('INSERT OR REPLACE INTO Totals VALUES (1, ?, ?, ?, ?, ?, ?)')
    .run(store, commits, accepted, revisions, forgotten, checksum(totals));
}

/** Counts the rows of a database without totals; with a new id, because its past is unknown. */
export function countedTotals(database: DatabaseSync): Totals {
  const row = database.prepare('SELECT count(*) AS N, total(Revision) AS R FROM Processes').get();
  const { N: accepted, R: revisions } = z.object({ N: count, R: count }).parse(row);
  return { store: storeName(), commits: 0, accepted, revisions, forgotten: 0 };
}

const storeName = () => randomBytes(8).toString('hex');

const checksum = ({ store, commits, accepted, revisions, forgotten }: Totals): number =>
  crc32(`${store}\n${commits}\n${accepted}\n${revisions}\n${forgotten}`);
