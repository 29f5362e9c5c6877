/** The tables of the embedded state store. */
import type { DatabaseSync } from 'node:sqlite';
import { type CheckedTable, checkedTables, checksumOf } from '#embedded/integrity/checksums.ts';
import { totalsSchema } from '#embedded/integrity/totals.ts';
import { agentSettingSchema } from '#embedded/tables/agent-settings.ts';

/**
 * `DueAt` is the key of the due index (R16), rounded up to the sweep period, so that a quick order changes the index
 * about twice in its life. The index for listings excludes Processed, by far the most frequent state.
 * The rows of Orders are stored one after the other and not by their ids, because an id may be a digest: then each new order would divide
 * a page among others, the sooner the larger its details are. A database of an older Reeve keeps its table; all statements fit both.
 * `Extension` contains the attributes that only some records have, such as a deadline, and those that a newer release
 * adds, as JSON; null when there are none.
 */
export const schema = `
  CREATE TABLE IF NOT EXISTS Orders (
    OrderID TEXT NOT NULL PRIMARY KEY,
    Details TEXT NOT NULL,
    Digest TEXT NOT NULL,
    SubmittedAt INTEGER NOT NULL,
    Checksum INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS Processes (
    Seq INTEGER PRIMARY KEY,
    OrderID TEXT NOT NULL UNIQUE,
    Workflow TEXT NOT NULL,
    WorkflowVersion INTEGER NOT NULL,
    Fingerprint TEXT NOT NULL,
    ProcessState TEXT NOT NULL,
    LockedBy TEXT,
    CompleteBy INTEGER,
    FailureCount INTEGER NOT NULL,
    Direction TEXT NOT NULL,
    Steps TEXT NOT NULL,
    Fault TEXT,
    Priority TEXT NOT NULL,
    Tenant TEXT,
    ReplyTo TEXT,
    NotBefore INTEGER NOT NULL,
    Revision INTEGER NOT NULL,
    WriteID TEXT NOT NULL,
    History TEXT NOT NULL,
    SubmittedAt INTEGER NOT NULL,
    UpdatedAt INTEGER NOT NULL,
    DueAt INTEGER,
    CorrelationID TEXT,
    Extension TEXT,
    Checksum INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS Due ON Processes (DueAt, OrderID) WHERE DueAt IS NOT NULL;
  CREATE INDEX IF NOT EXISTS Attention ON Processes (ProcessState, Seq)
    WHERE ProcessState IN ('Error', 'Undone');
  CREATE TABLE IF NOT EXISTS Changes (
    Seq INTEGER PRIMARY KEY AUTOINCREMENT,
    Change TEXT NOT NULL,
    Audience TEXT,
    Checksum INTEGER
  ) STRICT;
  ${agentSettingSchema}
  CREATE TABLE IF NOT EXISTS Lines (
    Name TEXT PRIMARY KEY,
    OrderIDs TEXT NOT NULL,
    Checksum INTEGER
  ) STRICT, WITHOUT ROWID;
  ${totalsSchema}
`;

/** Adds the columns that a database of an older Reeve does not have. A part of the transaction of its caller. */
export function addMissingColumns(database: DatabaseSync): void {
  const columns = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  const has = (table: string, column: string) => columns.get(table, column) !== undefined;
  if (!has('Processes', 'CorrelationID')) {
    database.exec('ALTER TABLE Processes ADD COLUMN CorrelationID TEXT');
  }
  if (!has('Processes', 'Extension')) {
    database.exec('ALTER TABLE Processes ADD COLUMN Extension TEXT');
  }
  if (!has('Changes', 'Audience')) database.exec(oneAudienceEach);
  database.exec(correlationIndex);
  for (const table of checkedTables) {
    if (!has(table, 'Checksum')) addChecksums(database, table);
  }
}

function addChecksums(database: DatabaseSync, table: CheckedTable): void {
  const key = table === 'Orders' ? 'OrderID' : 'Seq';
  database.exec(`ALTER TABLE ${table} ADD COLUMN Checksum INTEGER`);
  const keys = database.prepare(`SELECT ${key} AS Key FROM ${table}`).all();
  const read = database.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`);
  const write = database.prepare(`UPDATE ${table} SET Checksum = ? WHERE ${key} = ?`);
  for (const { Key } of keys) {
    const row = readable(() => read.get(Key ?? null));
    // An unreadable row gets no checksum, so that its next read reports it as damaged.
    if (row !== undefined) write.run(checksumOf(table, row), Key ?? null);
  }
}

/** False when a start would have to add tables, columns or indexes. */
export function isUpToDate(database: DatabaseSync): boolean {
  const names = database.prepare('SELECT name FROM sqlite_schema').all();
  const columns = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  const has = (table: string, column: string) => columns.get(table, column) !== undefined;
  return (
    [...checkedTables, 'Totals', 'Due', 'Attention', 'Correlation'].every((made) =>
      names.some(({ name }) => name === made),
    ) &&
    ['CorrelationID', 'Extension'].every((column) => has('Processes', column)) &&
    has('Changes', 'Audience') &&
    checkedTables.every((table) => has(table, 'Checksum'))
  );
}

function readable<Row>(read: () => Row): Row | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Covers only orders that have a correlation id. Created after the column, which may be new. */
const correlationIndex = `
  CREATE INDEX IF NOT EXISTS Correlation ON Processes (CorrelationID, Seq)
    WHERE CorrelationID IS NOT NULL;
`;

/** Splits each change into one row per audience. A corrupt change is kept, so that its reader reports it. */
const oneAudienceEach = `
  ALTER TABLE Changes ADD COLUMN Audience TEXT;
  INSERT INTO Changes (Change, Audience) SELECT Change, 'operator' FROM Changes
    WHERE CASE WHEN json_valid(Change) THEN Change ->> 'processState' = 'Error' END;
  DELETE FROM Changes
    WHERE Audience IS NULL AND CASE WHEN json_valid(Change) THEN Change ->> 'replyTo' IS NULL END;
  UPDATE Changes SET Audience = 'submitter' WHERE Audience IS NULL;
`;
