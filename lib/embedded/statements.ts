/** The prepared statements of the embedded state store. */
import type { DatabaseSync } from 'node:sqlite';
import type { ProcessRecord } from '#core/record.ts';
import { encodeRecord } from '#core/record-codec.ts';

/** Columns that a transition can change; the others are the order's for life. */
const changing = [
  'ProcessState',
  'LockedBy',
  'CompleteBy',
  'FailureCount',
  'Direction',
  'Steps',
  'Fault',
  'NotBefore',
  'Revision',
  'WriteID',
  'History',
  'UpdatedAt',
] as const;

const all = [
  'OrderID',
  'Workflow',
  'WorkflowVersion',
  'Fingerprint',
  'Priority',
  'Tenant',
  'ReplyTo',
  'CorrelationID',
  'SubmittedAt',
  ...changing,
  'DueAt',
];

export function statements(database: DatabaseSync) {
  const places = (names: readonly string[]) => names.map(() => '?').join(', ');
  const replaceWith = (columns: readonly string[]) =>
    database.prepare(
      `UPDATE Processes SET ${columns.map((name) => `${name} = ?`).join(', ')}
       WHERE OrderID = ? AND Revision = ?`,
    );
  const insertRecord = database.prepare(
    `INSERT INTO Processes (${all.join(', ')}) VALUES (${places(all)})`,
  );
  const replace = replaceWith(changing);
  // An update that names an indexed column rewrites the index, even where nothing changed.
  const replaceAndMove = replaceWith([...changing, 'DueAt']);

  return {
    insertOrder: database.prepare('INSERT INTO Orders VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    insertChange: database.prepare('INSERT INTO Changes (Change, Audience) VALUES (?, ?)'),
    deleteChange: database.prepare('DELETE FROM Changes WHERE Seq = ?'),
    changes: database.prepare('SELECT Seq, Change, Audience FROM Changes ORDER BY Seq'),
    order: database.prepare('SELECT * FROM Orders WHERE OrderID = ?'),
    record: database.prepare('SELECT * FROM Processes WHERE OrderID = ?'),
    due: database.prepare(
      `SELECT DueAt, OrderID FROM Processes
       WHERE (DueAt, OrderID) > (?, ?) AND DueAt <= ?
       ORDER BY DueAt, OrderID LIMIT ?`,
    ),
    oldest: database.prepare(
      `SELECT Seq, OrderID, ProcessState, SubmittedAt, UpdatedAt FROM Processes
       WHERE Seq > ? ORDER BY Seq LIMIT ?`,
    ),
    forgetRecord: database.prepare('DELETE FROM Processes WHERE Seq = ?'),
    forgetOrder: database.prepare('DELETE FROM Orders WHERE OrderID = ?'),
    list: database.prepare(
      'SELECT Seq, OrderID FROM Processes WHERE Seq < ? ORDER BY Seq DESC LIMIT ?',
    ),
    listByState: database.prepare(
      `SELECT Seq, OrderID FROM Processes
       WHERE ProcessState = ? AND Seq < ? ORDER BY Seq DESC LIMIT ?`,
    ),
    listByCorrelation: database.prepare(
      `SELECT Seq, OrderID FROM Processes
       WHERE CorrelationID = ? AND Seq < ? AND ProcessState = coalesce(?, ProcessState)
       ORDER BY Seq DESC LIMIT ?`,
    ),
    listed: database.prepare('SELECT * FROM Processes WHERE Seq = ?'),

    insert(record: ProcessRecord, due: number | null): void {
      const row = encodeRecord(record);
      insertRecord.run(
        row.OrderID,
        row.Workflow,
        row.WorkflowVersion,
        row.Fingerprint,
        row.Priority,
        row.Tenant,
        row.ReplyTo,
        row.CorrelationID,
        row.SubmittedAt,
        ...changingValues(row),
        due,
      );
    },

    /** Whether the revision before was there to be replaced. */
    replace(record: ProcessRecord, due: number | null, dueBefore: number | null): boolean {
      const row = encodeRecord(record);
      const values = changingValues(row);
      const { changes } =
        due === dueBefore
          ? replace.run(...values, row.OrderID, row.Revision - 1)
          : replaceAndMove.run(...values, due, row.OrderID, row.Revision - 1);
      return changes === 1;
    },
  };
}

function changingValues(row: ReturnType<typeof encodeRecord>) {
  return [
    row.ProcessState,
    row.LockedBy,
    row.CompleteBy,
    row.FailureCount,
    row.Direction,
    row.Steps,
    row.Fault,
    row.NotBefore,
    row.Revision,
    row.WriteID,
    row.History,
    row.UpdatedAt,
  ];
}
export type Statements = ReturnType<typeof statements>;
