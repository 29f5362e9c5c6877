/** The prepared statements of the embedded state store. */
import type { DatabaseSync } from 'node:sqlite';
import { changeNumbersSql } from './tables/change-numbers.ts';
import { dueEntriesSql } from './tables/due-entries.ts';
import { recordWrites } from './tables/record-writes.ts';

/** Orders that one page of a listing looks at: five milliseconds, in which nothing else runs. */
export const lookMax = 5_000;

export function statements(database: DatabaseSync) {
  const oldest = database.prepare(
    `SELECT Seq, OrderID, ProcessState, SubmittedAt, UpdatedAt FROM Processes
     WHERE Seq > ? ORDER BY Seq LIMIT ?`,
  );
  // As a number, one that is too large would make the read of all rows fail.
  oldest.setReadBigInts(true);

  const newest = database.prepare('SELECT SubmittedAt FROM Processes ORDER BY Seq DESC LIMIT 1');
  newest.setReadBigInts(true);

  return {
    ...{ oldest, newest },
    insertOrder: database.prepare(
      'INSERT INTO Orders (OrderID, Details, Digest, SubmittedAt, Checksum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    insertChange: database.prepare(
      'INSERT INTO Changes (Change, Audience, Checksum) VALUES (?, ?, ?)',
    ),
    deleteChange: database.prepare('DELETE FROM Changes WHERE Seq = ?'),
    changes: database.prepare(changeNumbersSql),
    change: database.prepare('SELECT * FROM Changes WHERE Seq = ?'),
    order: database.prepare('SELECT * FROM Orders WHERE OrderID = ?'),
    record: database.prepare('SELECT * FROM Processes WHERE OrderID = ?'),
    due: database.prepare(dueEntriesSql),
    line: database.prepare('SELECT * FROM Lines WHERE Name = ?'),
    putLine: database.prepare(
      'INSERT OR REPLACE INTO Lines (Name, OrderIDs, Checksum) VALUES (?, ?, ?)',
    ),
    deleteLine: database.prepare('DELETE FROM Lines WHERE Name = ?'),
    forgetRecord: database.prepare('DELETE FROM Processes WHERE Seq = ?'),
    forgetOrder: database.prepare('DELETE FROM Orders WHERE OrderID = ?'),
    list: database.prepare(
      'SELECT Seq, OrderID FROM Processes WHERE Seq > 0 AND Seq < ? ORDER BY Seq DESC LIMIT ?',
    ),
    /** For Error and Undone. SQLite uses a partial index only where the query repeats its condition. */
    listAttention: database.prepare(
      `SELECT Seq, OrderID FROM Processes
       WHERE ProcessState IN ('Error', 'Undone') AND ProcessState = ? AND Seq > 0 AND Seq < ?
       ORDER BY Seq DESC LIMIT ?`,
    ),
    /** A row where more orders are live than one page may look at. */
    manyLive: database.prepare(
      `SELECT 1 FROM Processes INDEXED BY Due WHERE DueAt IS NOT NULL LIMIT 1 OFFSET ${lookMax}`,
    ),
    /** For Pending and Processing among few live orders, which are those in the index Due, however many have ended since. */
    listLive: database.prepare(
      `SELECT Seq, OrderID FROM Processes INDEXED BY Due
       WHERE DueAt IS NOT NULL AND ProcessState = ? AND Seq > 0 AND Seq < ?
       ORDER BY Seq DESC LIMIT ?`,
    ),
    /** For any state among the next orders. An index of Processed, which most orders are, would make each order cost two more writes. */
    listAmong: database.prepare(
      `SELECT Seq, OrderID FROM (
         SELECT Seq, OrderID, ProcessState FROM Processes WHERE Seq > 0 AND Seq < ?
         ORDER BY Seq DESC LIMIT ${lookMax}
       ) WHERE ProcessState = ? ORDER BY Seq DESC LIMIT ?`,
    ),
    endAmong: database.prepare(
      `SELECT Seq FROM Processes WHERE Seq > 0 AND Seq < ?
       ORDER BY Seq DESC LIMIT 1 OFFSET ${lookMax - 1}`,
    ),
    listByCorrelation: database.prepare(
      `SELECT Seq, OrderID FROM (
         SELECT Seq, OrderID, ProcessState FROM Processes
         WHERE CorrelationID = ? AND Seq > 0 AND Seq < ? ORDER BY Seq DESC LIMIT ${lookMax}
       ) WHERE ProcessState = coalesce(?, ProcessState) ORDER BY Seq DESC LIMIT ?`,
    ),
    endByCorrelation: database.prepare(
      `SELECT Seq FROM Processes WHERE CorrelationID = ? AND Seq > 0 AND Seq < ?
       ORDER BY Seq DESC LIMIT 1 OFFSET ${lookMax - 1}`,
    ),
    listed: database.prepare('SELECT * FROM Processes WHERE Seq = ?'),
    ...recordWrites(database),
  };
}

export type Statements = ReturnType<typeof statements>;
