/** The full check of the data, while no Reeve runs on it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backupFailed } from '#embedded/copies/backup.ts';
import {
  assertNotGone,
  behindLink,
  copyDatabase,
  freeName,
  hasLog,
  isThere,
  keptCopy,
  logPath,
  totalsPath,
} from '#embedded/data-files.ts';
import { onFile } from '#embedded/file-error.ts';
import { openDatabase, openError } from '#embedded/open-database.ts';
import { openUntouched } from '#embedded/read-only.ts';
import { isUpToDate } from '#embedded/schema.ts';
import { sqlite } from '#embedded/sqlite.ts';
import type { Log, LogFields } from '#ports/log.ts';
import { type DamageReport, damageReport, type Finding } from './damage-report.ts';
import { type Counts, examineRows, unreadable } from './examine-rows.ts';
import { assertStartReads } from './start-reads.ts';
import { countedTotals, readTotals, type Totals } from './totals.ts';
import { compareTotals } from './totals-check.ts';
import { readTotalsFile } from './totals-file.ts';
import { assertWholeFile } from './whole-file.ts';

/** The result of a check. A count is null when the database is unreadable, and a start on it is refused. */
export interface Examined extends Counts {
  readonly findings: readonly Finding[];
}

/**
 * Makes the checks of a start, then verifies every row. Changes nothing on disk.
 *
 * @throws {ReeveError} `store-in-use`; `store-unusable`
 */
export function examineData(given: string): Examined {
  const path = behindLink(given);
  return collecting(
    path,
    (damage) => {
      assertNotGone(path);
      const { database, file, close } = openUntouched(path);
      try {
        assertWholeFile({ database, file }, path);
        const stored = readTotals(database);
        const verdict = compareTotals(stored, readTotalsFile(totalsPath(path)));
        const reason =
          verdict.kind === 'goOn' ? verdict.report : `Work is missing: ${verdict.why}.`;
        if (reason !== null) damage.report({ table: 'Totals', row: null, reason });
        assertStartReads(database, path);
        // The stored rows are checked also when work is missing.
        if (!isUpToDate(database)) return examineCopy(file, path, damage);
        const totals = stored.kind === 'read' ? stored.totals : countedTotals(database);
        return examineRows(database, damage, totals);
      } finally {
        close();
      }
    },
    (error) => openError(error, path),
  );
}

/** For data of an older Reeve, which a start would upgrade: upgrades and checks a copy. */
function examineCopy(data: number, path: string, damage: DamageReport): Counts {
  const what = 'Cannot make a copy of the data in';
  const folder = onFile(what, dirname(path), () =>
    mkdtempSync(join(dirname(path), 'reeve-check-')),
  );
  try {
    const copy = join(folder, 'reeve.db');
    onFile(what, folder, () => copyDatabase(data, path, copy));
    const { database, file, totals } = openDatabase(copy, damage, true);
    try {
      return examineRows(database, damage, totals.current);
    } finally {
      file?.close();
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Checks a backup, and merges its log into it. `totals` is null when the backup has none. */
export function examineBackup(path: string): Examined & { readonly totals: Totals | null } {
  let totals: Totals | null = null;
  const examined = collecting(
    path,
    (damage) => {
      const database = new (sqlite().DatabaseSync)(path);
      try {
        database.exec('PRAGMA journal_mode = DELETE');
        const stored = readTotals(database);
        if (stored.kind === 'read') {
          totals = stored.totals;
          return examineRows(database, damage, stored.totals);
        }
        const reason = 'It has no totals: Reeve did not make this backup.';
        damage.report({ table: 'Totals', row: null, reason });
        return notCounted;
      } finally {
        database.close();
      }
    },
    (error) => backupFailed(error, 'check', path),
  );
  return { ...examined, totals };
}

/**
 * Makes the data usable without the work that is missing by the totals file. Returns the path of a copy of the log,
 * because SQLite truncates a log that it cannot read; null when no work is missing.
 *
 * @throws {ReeveError} `store-in-use`; `store-unusable`; `store-damaged`
 */
export function acceptLoss(given: string): string | null {
  const path = behindLink(given);
  const kept = keepLog(path);
  const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
  const { database, file } = openDatabase(path, damageReport(path, silent), true);
  file?.close();
  database.close();
  return kept;
}

function keepLog(path: string): string | null {
  assertNotGone(path);
  if (!hasLog(path)) return null;
  try {
    const { database, file, close } = openUntouched(path);
    try {
      assertWholeFile({ database, file }, path);
      const verdict = compareTotals(readTotals(database), readTotalsFile(totalsPath(path)));
      if (verdict.kind !== 'refuse') return null;
      const log = readFileSync(logPath(path));
      // A log that was kept before, and is another one, stays. One that is the same was kept when the command was repeated.
      const isKept = (name: string) => isThere(name) && log.equals(readFileSync(name));
      const isOther = (name: string) => isThere(name) && !isKept(name);
      const kept = freeName(`${logPath(path)}.damaged`, isOther);
      if (!isKept(kept)) {
        onFile('Cannot keep the log as', kept, () => keptCopy(logPath(path), kept));
      }
      return kept;
    } finally {
      close();
    }
  } catch (cause) {
    throw openError(cause, path);
  }
}

const notCounted: Counts = { orders: null, changes: null };

function collecting(
  path: string,
  look: (damage: DamageReport) => Counts,
  unusable: (error: unknown) => unknown,
): Examined {
  const findings: Finding[] = [];
  const found = (_: string, { table, row, reason }: LogFields) => {
    findings.push({
      table: String(table),
      row: typeof row === 'boolean' ? null : (row ?? null),
      reason: String(reason),
    });
  };
  const damage = damageReport(path, { info: () => {}, warn: () => {}, error: found });
  try {
    return { ...look(damage), findings };
  } catch (error) {
    const reason = unreadable(error);
    if (reason === null) throw unusable(error);
    findings.push({ table: 'database', row: null, reason });
    return { ...notCounted, findings };
  }
}
