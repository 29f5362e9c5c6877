/** What was found damaged in the stored data: each row is reported once, and read by nobody as if it were sound. */
import { CorruptDataError } from '#core/model/errors.ts';
import { isDamage, storeError } from '#embedded/store-error.ts';
import type { Log } from '#ports/log.ts';

export interface Finding {
  /** A table, or another part of the database. */
  readonly table: string;
  /** The order id or the number of the row; null where no row is known. */
  readonly row: string | number | null;
  readonly reason: string;
}

export interface DamageReport {
  report(finding: Finding): void;
  /**
   * What `read` gives of that row.
   *
   * @throws {CorruptDataError} when it is damaged, which is reported
   * @throws {NewerDataError} when a newer release wrote it, which is no damage
   */
  row<Value>(table: string, row: string | number, read: () => Value): Value;
  /** How many rows were found damaged since the start. */
  count(): number;
}

/** Findings kept, to report each once: beyond that a disk is so damaged that the rest says nothing new. */
const keptMax = 1_000;

/** `path`: the database file. */
export function damageReport(path: string, log: Log): DamageReport {
  const known = new Set<string>();

  function report({ table, row, reason }: Finding): void {
    const key = `${table} ${row}`;
    if (known.has(key) || known.size >= keptMax) return;
    known.add(key);
    log.error('store-damaged', { file: path, table, row, reason });
  }

  return {
    report,
    count: () => known.size,
    row(table, row, read) {
      try {
        return read();
      } catch (error) {
        const reason = damageOf(error);
        if (reason === null) throw storeError(error, path);
        report({ table, row, reason });
        throw new CorruptDataError(
          error instanceof CorruptDataError ? error.code : 'row-damaged',
          `Row ${row} of table ${table} in ${path} is damaged: ${reason} Run \`reeve check\` while Reeve is stopped; restore a backup, or remove the row by hand.`,
          { cause: error },
        );
      }
    },
  };
}

/** What is wrong with the row; null when the error is about something else. */
function damageOf(error: unknown): string | null {
  if (error instanceof CorruptDataError) return error.message;
  // Node gives no number that JavaScript cannot tell exactly: no Reeve stored one.
  if (error instanceof RangeError) return 'It holds a number that Reeve never writes.';
  if (isDamage(error) && error instanceof Error) return `SQLite says: ${error.message}.`;
  return null;
}
