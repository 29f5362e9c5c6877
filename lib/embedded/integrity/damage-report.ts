/** Damage found in the stored data: each damaged row is reported once, and its read fails. */

import { types } from 'node:util';
import { CorruptDataError } from '#core/model/errors.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { isDamage, storeError } from '#embedded/store-error.ts';
import type { Log } from '#ports/log.ts';

/** One damaged row or part. */
export interface Finding {
  /** A table, or another part of the database. */
  readonly table: string;
  /** The order id or the number of the row; null when the row is unknown. */
  readonly row: string | number | null;
  readonly reason: string;
}

/** Reports damage to the log. */
export interface DamageReport {
  report(finding: Finding): void;
  /**
   * Returns the result of `read` for that row.
   *
   * @throws {CorruptDataError} when the row is damaged; reports it too
   * @throws {NewerDataError} when a newer release wrote the row, which is not damage
   */
  row<Value>(table: string, row: string | number, read: () => Value): Value;
  /** Reports the error of a write if it is damage that SQLite met: it does not say in which row. */
  met(error: unknown): void;
  /** As `met`, of the write of one order: which one stays as it was is in no other line of the log. */
  unstored(order: Pick<ProcessRecord, 'orderId' | 'processState'>, error: unknown): void;
  /** The number of rows found damaged since the start. */
  count(): number;
}

/** Findings remembered, so that each is reported once. Further findings on so damaged a disk are dropped. */
const keptMax = 1_000;

/** @param path the database file */
export function damageReport(path: string, log: Log): DamageReport {
  const known = new Set<string>();

  function report({ table, row, reason }: Finding): void {
    const key = `${table} ${row}`;
    if (known.has(key) || known.size >= keptMax) return;
    known.add(key);
    log.error('store-damaged', { file: path, table, row, reason });
  }

  const metBy = (error: unknown) => (isDamage(error) ? damageOf(error) : null);

  return {
    report,
    count: () => known.size,
    met(error) {
      const reason = metBy(error);
      if (reason !== null) report({ table: 'database', row: null, reason });
    },
    unstored({ orderId, processState }, error) {
      const met = metBy(error);
      if (met === null) return;
      const reason = `Its next revision, in ${processState}, cannot be stored, so that the order stays as it was: ${met}`;
      report({ table: 'Processes', row: orderId, reason });
    },
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

/** The damage that an error of a read shows; null when the error has another cause. */
export function damageOf(error: unknown): string | null {
  if (error instanceof CorruptDataError) return error.message;
  // Node refuses integers that JavaScript cannot represent exactly; Reeve never stores one.
  if (error instanceof RangeError) return 'It holds a number that Reeve never writes.';
  if (isDamage(error) && types.isNativeError(error)) return `SQLite says: ${error.message}.`;
  return null;
}
