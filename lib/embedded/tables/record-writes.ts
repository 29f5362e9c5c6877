/** How process records are written to their rows. test/embedded/record-columns.test.ts finds a column that is forgotten here, in the schema or in the checksum. */
import type { DatabaseSync } from 'node:sqlite';
import {
  encodeAfter,
  encodeRare,
  type RecordTexts,
  type StoredRecord,
} from '#core/codec/record-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { recordChecksum } from '#embedded/integrity/checksums.ts';
import type { Entry } from '#embedded/record-cache.ts';

/** Columns that every transition changes. */
const always = [
  'CompleteBy',
  'Steps',
  'Revision',
  'WriteID',
  'History',
  'UpdatedAt',
  'Checksum',
] as const;

/** Columns that some transitions change; all others never change. */
const sometimes = [
  'ProcessState',
  'LockedBy',
  'FailureCount',
  'Direction',
  'Priority',
  'Fault',
  'NotBefore',
  'Extension',
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
  ...always,
  ...sometimes,
  'DueAt',
];

/** The writes of one database. */
export interface RecordWrites {
  insert(record: ProcessRecord, due: number | null): Inserted;
  /**
   * Null when the row does not have the revision `replaced`. `due`: the key in the due index from now on;
   * null: not in the index.
   */
  replace(
    earlier: Entry,
    record: ProcessRecord,
    replaced: number,
    due: number | null,
  ): Written | null;
}

/** A stored revision. */
export interface Written {
  /** What the next revision need not encode again. */
  readonly texts: RecordTexts;
  /** Characters of its steps and its history. */
  readonly recordLength: number;
}

/** A new row. */
export interface Inserted extends Written {
  /** Its number. */
  readonly seq: number;
}

/** Prepares the statements. */
export function recordWrites(database: DatabaseSync): RecordWrites {
  const insertRecord = database.prepare(
    `INSERT INTO Processes (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
  );
  const update = updates(database);
  return {
    insert(record, due) {
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
        ...changingValues(row, { extension: extensionOf(record), due }),
        due,
      );
      return { seq: Number(lastInsertRowid), texts, recordLength: lengthOf(row) };
    },

    replace(earlier, record, replaced, due) {
      const { row, texts } = encodeAfter(record, earlier);
      const own = { extension: extensionOf(record), due };
      const target = { seq: earlier.seq, replaced };
      const changes =
        due !== earlier.due
          ? update.moved(row, own, target)
          : isSameElse(earlier.record, record)
            ? update.progress(row, own, target)
            : update.all(row, own, target);
      return changes === 1 ? { texts, recordLength: lengthOf(row) } : null;
    },
  };
}

/** The columns that only this store has. */
interface OwnColumns {
  readonly extension: string | null;
  readonly due: number | null;
}

/** The row of a revision. */
interface Target {
  readonly seq: number;
  readonly replaced: number;
}

/** Each returns the number of rows that were changed. */
function updates(database: DatabaseSync) {
  const replaceWith = (columns: readonly string[]) =>
    database.prepare(
      `UPDATE Processes SET ${columns.map((name) => `${name} = ?`).join(', ')}
       WHERE Seq = ? AND OrderID = ? AND Revision = ?`,
    );
  const progress = replaceWith(always);
  const replace = replaceWith([...always, ...sometimes]);
  // An update that names an indexed column rewrites the index, even when the value is the same.
  const replaceAndMove = replaceWith([...always, ...sometimes, 'DueAt']);
  return {
    /** Most writes: without an array of the values. */
    progress: (row: StoredRecord, own: OwnColumns, { seq, replaced }: Target) =>
      progress.run(
        row.CompleteBy,
        row.Steps,
        row.Revision,
        row.WriteID,
        row.History,
        row.UpdatedAt,
        recordChecksum(row, own.extension, own.due),
        seq,
        row.OrderID,
        replaced,
      ).changes,
    all: (row: StoredRecord, own: OwnColumns, { seq, replaced }: Target) =>
      replace.run(...changingValues(row, own), seq, row.OrderID, replaced).changes,
    moved: (row: StoredRecord, own: OwnColumns, { seq, replaced }: Target) =>
      replaceAndMove.run(...changingValues(row, own), own.due, seq, row.OrderID, replaced).changes,
  };
}

const lengthOf = ({ Steps, History }: StoredRecord) => Steps.length + History.length;

/** The attributes that have no column, because few records have them. */
function extensionOf(record: ProcessRecord): string | null {
  const rare = encodeRare(record);
  return rare === null ? null : JSON.stringify(rare);
}

/** Whether the columns that only some transitions change are those of the revision before. */
const isSameElse = (before: ProcessRecord, record: ProcessRecord): boolean =>
  before.processState === record.processState &&
  before.lockedBy === record.lockedBy &&
  before.failureCount === record.failureCount &&
  before.direction === record.direction &&
  before.priority === record.priority &&
  before.fault === record.fault &&
  before.notBefore === record.notBefore &&
  encodeRare(before) === null &&
  encodeRare(record) === null;

/** The values of the columns that every transition changes, and of those that some do. */
const changingValues = (row: StoredRecord, own: OwnColumns) => [
  row.CompleteBy,
  row.Steps,
  row.Revision,
  row.WriteID,
  row.History,
  row.UpdatedAt,
  recordChecksum(row, own.extension, own.due),
  row.ProcessState,
  row.LockedBy,
  row.FailureCount,
  row.Direction,
  row.Priority,
  row.Fault,
  row.NotBefore,
  own.extension,
];
