/** Everything that can be checked of the data while no Reeve runs on it; and data put in place of it. */
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CorruptDataError, ReeveError } from '#core/errors.ts';
import type { Log } from '#ports/log.ts';
import { type DamageDesk, damageDesk, type Finding } from './damage.ts';
import { intactChange } from './intact-rows.ts';
import { openDatabase, totalsPath } from './open-database.ts';
import { numberOf } from './rows.ts';
import { isDamage, storeError } from './store-error.ts';
import { readTotals, type Totals } from './totals.ts';
import { verification } from './verify.ts';

export interface Examined {
  readonly orders: number;
  readonly changes: number;
  readonly findings: readonly Finding[];
}

/**
 * Checks the data as a start does, and then all of it.
 *
 * @throws {ReeveError} `store-unusable` when a Reeve is running on it
 */
export function examineData(path: string): Examined {
  return collecting(path, (damage) => {
    const { database, file, totals } = openDatabase(path, damage);
    try {
      return examine(database, damage, totals.current);
    } finally {
      file?.close();
      database.close();
    }
  });
}

/** Checks a backup, and makes it one file that needs no log beside it. */
export function examineBackup(path: string): Examined {
  return collecting(path, (damage) => {
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA journal_mode = DELETE');
      const stored = readTotals(database);
      if (stored.kind === 'read') return examine(database, damage, stored.totals);
      const reason = 'It has no totals: it is no backup that Reeve made.';
      damage.report({ table: 'Totals', row: null, reason });
      return { orders: 0, changes: 0 };
    } finally {
      database.close();
    }
  });
}

/** The data goes on as it is, without what its totals file says is missing. */
export function acceptLoss(path: string): void {
  rmSync(totalsPath(path), { force: true });
  const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
  const { database, file } = openDatabase(path, damageDesk(path, silent));
  file?.close();
  database.close();
}

/**
 * Puts a backup in the place of the data. What was there is kept under another name, which it gives; null
 * when there was none.
 *
 * @throws {ReeveError} `store-unusable` when a Reeve is running on the data; `backup-damaged`
 */
export function restoreData(backup: string, path: string, stamp: string): string | null {
  assertUnused(path);
  const copy = `${path}.restoring`;
  copyFileSync(backup, copy);
  const { findings } = examineBackup(copy);
  const [first] = findings;
  if (first !== undefined) {
    rmSync(copy);
    throw new ReeveError(
      'backup-damaged',
      `The backup ${backup} is damaged: ${first.reason} Nothing was changed. Take another backup.`,
    );
  }
  const kept = `${path}.replaced-${stamp}`;
  const hadData = existsSync(path);
  for (const suffix of ['', '-wal', '-totals']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  }
  renameSync(copy, path);
  return hadData ? kept : null;
}

function assertUnused(path: string): void {
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (cause) {
    // Damaged data is what a backup is put in place of.
    if (isDamage(cause)) return;
    throw new ReeveError(
      'store-unusable',
      `Another process uses the state store ${path}, or it may not be written. Stop Reeve first.`,
      { cause },
    );
  } finally {
    database.close();
  }
}

type Counts = Omit<Examined, 'findings'>;

function collecting(path: string, look: (damage: DamageDesk) => Counts): Examined {
  const findings: Finding[] = [];
  const found: Log['error'] = (_, { table, row, reason }) => {
    findings.push({
      table: String(table),
      row: typeof row === 'boolean' ? null : (row ?? null),
      reason: String(reason),
    });
  };
  const damage = damageDesk(path, { info: () => {}, warn: () => {}, error: found });
  try {
    return { ...look(damage), findings };
  } catch (error) {
    const said = isDamage(error) ? storeError(error, path) : error;
    if (!(said instanceof CorruptDataError)) throw said;
    findings.push({ table: 'database', row: null, reason: said.message });
    return { orders: 0, changes: 0, findings };
  }
}

const integrityRow = z.object({ integrity_check: z.string() });

function examine(
  database: DatabaseSync,
  damage: DamageDesk,
  { accepted, forgotten }: Totals,
): Counts {
  for (const row of database.prepare('PRAGMA integrity_check').all()) {
    const { integrity_check: said } = integrityRow.parse(row);
    if (said !== 'ok') damage.report({ table: 'database', row: said, reason: said });
  }
  const orders = verification({ database, damage, expected: accepted - forgotten });
  while (orders.next(1_000));
  const change = database.prepare('SELECT * FROM Changes WHERE Seq = ?');
  const numbers = database.prepare('SELECT Seq FROM Changes').all().map(numberOf);
  for (const seq of numbers) {
    try {
      damage.row('Changes', seq, () => intactChange(change.get(seq)));
    } catch (error) {
      if (!(error instanceof CorruptDataError)) throw error;
    }
  }
  return { orders: orders.checked(), changes: numbers.length };
}
