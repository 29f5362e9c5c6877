/** Reads all of a database on which a start succeeds: what cannot be read is a finding, and the rest is read all the same. */
import type { DatabaseSync } from 'node:sqlite';
import { types } from 'node:util';
import * as z from 'zod';
import { CorruptDataError } from '#core/model/errors.ts';
import { isDamage } from '#embedded/store-error.ts';
import { changeNumbers, changeNumbersSql } from '#embedded/tables/change-numbers.ts';
import type { DamageReport } from './damage-report.ts';
import { intactChange } from './intact-rows.ts';
import type { Totals } from './totals.ts';
import { verification } from './verify.ts';

/** What was read. */
export interface Counts {
  readonly orders: number | null;
  readonly changes: number | null;
}

/** Found by one query: a lost page hides the rows before it that the same query would find. */
const rowsAtOnce = 50;

/** Never throws because of damage. */
export function examineRows(
  database: DatabaseSync,
  damage: DamageReport,
  { accepted, forgotten }: Totals,
): Counts {
  examineStructure(database, damage);
  const orders = verification({ database, damage, expected: accepted - forgotten });
  while (orders.next(rowsAtOnce));
  return { orders: orders.checked(), changes: examineChanges(database, damage) };
}

/** What an error of SQLite or of a check says of a database that cannot be read; null when the error has another cause. */
export function unreadable(error: unknown): string | null {
  if (error instanceof CorruptDataError) return error.message;
  return isDamage(error) && types.isNativeError(error)
    ? `SQLite cannot read it: ${error.message}.`
    : null;
}

const integrityRow = z.object({ integrity_check: z.string() });

/** Where a page is lost, SQLite says which, and may then end its check with an error. */
function examineStructure(database: DatabaseSync, damage: DamageReport): void {
  try {
    for (const row of database.prepare('PRAGMA integrity_check').iterate()) {
      const { integrity_check: said } = integrityRow.parse(row);
      if (said !== 'ok') damage.report({ table: 'database', row: said, reason: said });
    }
  } catch (error) {
    const reason = unreadable(error);
    if (reason === null) throw error;
    damage.report({ table: 'database', row: null, reason });
  }
}

/** Returns the number of those that can be found. */
function examineChanges(database: DatabaseSync, damage: DamageReport): number {
  const change = database.prepare('SELECT * FROM Changes WHERE Seq = ?');
  const select = database.prepare(changeNumbersSql);
  let count = 0;
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const numbers = reported(() =>
      damage.row('Changes', 'listing', () => changeNumbers(select, after, rowsAtOnce)),
    );
    for (const seq of numbers ?? []) {
      reported(() => damage.row('Changes', seq, () => intactChange(change.get(seq))));
      after = seq;
    }
    const found = numbers?.length ?? 0;
    count += found;
    if (found < rowsAtOnce) return count;
  }
}

/** Undefined where the read has met damage, which is reported then. */
function reported<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CorruptDataError)) throw error;
    return undefined;
  }
}
