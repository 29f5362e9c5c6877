/** The prepared statements of the embedded state store. */
import type { DatabaseSync } from 'node:sqlite';
import {
  encodeAfter,
  encodeRare,
  type RecordTexts,
  type StoredRecord,
} from '#core/codec/record-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { recordChecksum } from '#embedded/integrity/checksums.ts';
import type { Entry } from './record-cache.ts';

/** Columns that a transition can change; the others never change. */
const changing = [
  'ProcessState',
  'LockedBy',
  'CompleteBy',
  'FailureCount',
  'Direction',
  'Priority',
  'Steps',
  'Fault',
  'NotBefore',
  'Revision',
  'WriteID',
  'History',
  'UpdatedAt',
  'Extension',
  'Checksum',
] as const;

const all = [
  'OrderID',
  'Workflow',
  'WorkflowVersion',
  'Fingerprint',
  'Tenant',
  'ReplyTo',
  'CorrelationID',
  'SubmittedAt',
  ...changing,
  'DueAt',
];

export function statements(database: DatabaseSync) {
  const oldest = database.prepare(
    `SELECT Seq, OrderID, ProcessState, SubmittedAt, UpdatedAt FROM Processes
     WHERE Seq > ? ORDER BY Seq LIMIT ?`,
  );
  // As a number, one that is too large would make the read of all rows fail.
  oldest.setReadBigInts(true);

  return {
    oldest,
    insertOrder: database.prepare(
      'INSERT INTO Orders (OrderID, Details, Digest, SubmittedAt, Checksum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    insertChange: database.prepare(
      'INSERT INTO Changes (Change, Audience, Checksum) VALUES (?, ?, ?)',
    ),
    deleteChange: database.prepare('DELETE FROM Changes WHERE Seq = ?'),
    changes: database.prepare('SELECT Seq FROM Changes ORDER BY Seq'),
    change: database.prepare('SELECT * FROM Changes WHERE Seq = ?'),
    order: database.prepare('SELECT * FROM Orders WHERE OrderID = ?'),
    record: database.prepare('SELECT * FROM Processes WHERE OrderID = ?'),
    due: database.prepare(
      `SELECT DueAt, OrderID FROM Processes
       WHERE (DueAt, OrderID) > (?, ?) AND DueAt <= ?
       ORDER BY DueAt, OrderID LIMIT ?`,
    ),
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
    listByState: database.prepare(
      `SELECT Seq, OrderID FROM Processes
       WHERE ProcessState = ? AND Seq > 0 AND Seq < ? ORDER BY Seq DESC LIMIT ?`,
    ),
    listByCorrelation: database.prepare(
      `SELECT Seq, OrderID FROM Processes
       WHERE CorrelationID = ? AND Seq > 0 AND Seq < ? AND ProcessState = coalesce(?, ProcessState)
       ORDER BY Seq DESC LIMIT ?`,
    ),
    listed: database.prepare('SELECT * FROM Processes WHERE Seq = ?'),
    ...recordWrites(database),
  };
}

function recordWrites(database: DatabaseSync) {
  const places = (names: readonly string[]) => names.map(() => '?').join(', ');
  const replaceWith = (columns: readonly string[]) =>
    database.prepare(
      `UPDATE Processes SET ${columns.map((name) => `${name} = ?`).join(', ')}
       WHERE Seq = ? AND OrderID = ? AND Revision = ?`,
    );
  const insertRecord = database.prepare(
    `INSERT INTO Processes (${all.join(', ')}) VALUES (${places(all)})`,
  );
  const replace = replaceWith(changing);
  // An update that names an indexed column rewrites the index, even when the value is the same.
  const replaceAndMove = replaceWith([...changing, 'DueAt']);

  return {
    /** The row number, and the texts that the next revision may take over. */
    insert(record: ProcessRecord, due: number | null): Inserted {
      const { row, texts } = encodeAfter(record, null);
      const { lastInsertRowid } = insertRecord.run(
        row.OrderID,
        row.Workflow,
        row.WorkflowVersion,
        row.Fingerprint,
        row.Tenant,
        row.ReplyTo,
        row.CorrelationID,
        row.SubmittedAt,
        ...changingValues(row, extensionOf(record), due),
        due,
      );
      return { seq: Number(lastInsertRowid), texts };
    },

    /** Null when the row does not have the revision `replaced`; else the texts of the new one. */
    replace(
      earlier: Entry,
      record: ProcessRecord,
      replaced: number,
      { due, before }: DueKeys,
    ): RecordTexts | null {
      const { row, texts } = encodeAfter(record, earlier);
      const values = changingValues(row, extensionOf(record), due);
      const { changes } =
        due === before
          ? replace.run(...values, earlier.seq, row.OrderID, replaced)
          : replaceAndMove.run(...values, due, earlier.seq, row.OrderID, replaced);
      return changes === 1 ? texts : null;
    },
  };
}

/** A new row. */
interface Inserted {
  readonly seq: number;
  readonly texts: RecordTexts;
}

/** The key in the due index, after and before the write; null: not in the index. */
interface DueKeys {
  readonly due: number | null;
  readonly before: number | null;
}

/** The attributes that have no column, because few records have them. */
function extensionOf(record: ProcessRecord): string | null {
  const rare = encodeRare(record);
  return rare === null ? null : JSON.stringify(rare);
}

function changingValues(row: StoredRecord, extension: string | null, due: number | null) {
  return [
    row.ProcessState,
    row.LockedBy,
    row.CompleteBy,
    row.FailureCount,
    row.Direction,
    row.Priority,
    row.Steps,
    row.Fault,
    row.NotBefore,
    row.Revision,
    row.WriteID,
    row.History,
    row.UpdatedAt,
    extension,
    recordChecksum(row, extension, due),
  ];
}
export type Statements = ReturnType<typeof statements>;
