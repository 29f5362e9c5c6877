/**
 * Verifies what is not a row of an order: whether SQLite can read the tables and indexes that only some writes need, and each line
 * of the orders with a singleton key. In slices, as the orders are.
 */
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeLine } from '#core/flow/line.ts';
import { CorruptDataError, describeError } from '#core/model/errors.ts';
import { type DamageReport, damageOf, type Finding } from './damage-report.ts';
import { intactLine } from './intact-rows.ts';
import { assertOnward } from './onward.ts';

/** The database to verify. */
interface PartsOptions {
  readonly database: Pick<DatabaseSync, 'prepare'>;
  readonly damage: DamageReport;
}

/** A part, the place that its finding names, and what does not work without it. */
interface Part {
  readonly name: string;
  readonly of: Pick<Finding, 'table' | 'row'>;
  /** A query that comes to it. */
  readonly read: string;
  readonly without: string;
}

/** No start needs any of them, so that none is refused for it. */
const parts: readonly Part[] = [
  {
    name: 'sqlite_sequence',
    of: { table: 'sqlite_sequence', row: null },
    read: 'SELECT seq FROM sqlite_sequence',
    without:
      'no order goes to Error, and none with a response channel is accepted or changes its state',
  },
  {
    name: 'Attention',
    of: { table: 'Processes', row: 'index Attention' },
    read: `SELECT Seq FROM Processes INDEXED BY Attention WHERE ProcessState IN ('Error', 'Undone') LIMIT 1`,
    without: 'no order goes to Error or is undone',
  },
  {
    name: 'Correlation',
    of: { table: 'Processes', row: 'index Correlation' },
    read: 'SELECT Seq FROM Processes INDEXED BY Correlation WHERE CorrelationID IS NOT NULL LIMIT 1',
    without: 'no order with a correlation id is accepted',
  },
  {
    name: 'Lines',
    of: { table: 'Lines', row: null },
    read: 'SELECT Name FROM Lines LIMIT 1',
    without: 'no order with a singleton key is accepted',
  },
];

const lineRow = z.object({ Name: z.string() });

/** Reads the parts at once; returns a function that makes the next slice, of at most `limit` lines: false when none are left. What cannot be read is a finding. */
export function partsVerification({ database, damage }: PartsOptions): (limit: number) => boolean {
  return partsRead(database, damage).has('Lines')
    ? linesVerification(database, damage)
    : () => false;
}

/** Those that could be read. A backup that an older release made does not have all of them. */
function partsRead(database: PartsOptions['database'], damage: DamageReport): ReadonlySet<string> {
  const read = new Set<string>();
  for (const part of parts) {
    try {
      const made = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(part.name);
      if (made === undefined) continue;
      database.prepare(part.read).get();
      read.add(part.name);
    } catch (error) {
      const reason = `It cannot be read, so that ${part.without}: ${reasonOf(error)}`;
      damage.report({ ...part.of, reason });
    }
  }
  return read;
}

function linesVerification(database: PartsOptions['database'], damage: DamageReport) {
  const names = database.prepare('SELECT Name FROM Lines WHERE Name > ? ORDER BY Name LIMIT ?');
  const line = database.prepare('SELECT * FROM Lines WHERE Name = ?');
  let checkedTo = '';
  let isOver = false;
  return (limit: number): boolean => {
    if (isOver) return false;
    try {
      const found = names.all(checkedTo, limit).map((row) => lineRow.parse(row).Name);
      const last = found.at(-1) ?? null;
      assertOnward(last === null || last > checkedTo);
      for (const name of found) verifyLine(damage, name, () => line.get(name));
      checkedTo = last ?? checkedTo;
      isOver = found.length < limit;
    } catch (error) {
      isOver = true;
      const which = checkedTo === '' ? 'The lines' : `The lines after ${checkedTo}`;
      const reason = `${which} cannot be read: ${reasonOf(error)}`;
      damage.report({ table: 'Lines', row: null, reason });
    }
    return !isOver;
  };
}

/** The other lines are verified too. */
function verifyLine(
  damage: DamageReport,
  name: string,
  read: () => Parameters<typeof intactLine>[0],
): void {
  try {
    damage.row('Lines', name, () => decodeLine(intactLine(read())));
  } catch (error) {
    // Already reported.
    if (!(error instanceof CorruptDataError)) throw error;
  }
}

const reasonOf = (error: unknown): string => damageOf(error) ?? `${describeError(error)}.`;
