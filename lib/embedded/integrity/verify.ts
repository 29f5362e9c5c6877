/**
 * Verifies all stored orders: the rows are intact, every index finds them, and none is missing. Then what is no row of an order
 * (verify-parts.ts). In slices, so that it can run beside the work of Reeve.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import * as z from 'zod';
import { CorruptDataError, describeError } from '#core/model/errors.ts';
import { isDamage, isOfTheSchema } from '#embedded/store-error.ts';
import { assertIntact } from './checksums.ts';
import type { DamageReport } from './damage-report.ts';
import { assertOnward } from './onward.ts';
import { partsVerification } from './verify-parts.ts';

/** A verification in progress. */
export interface Verification {
  /** Checks at most `limit` more orders or lines; false when none are left. */
  next(limit: number): boolean;
  /** Call when an order was deleted meanwhile. */
  forgot(seq: number): void;
  /** Orders checked so far. */
  checked(): number;
}

/** The database to verify. */
export interface VerificationOptions {
  readonly database: Pick<DatabaseSync, 'prepare'>;
  readonly damage: DamageReport;
  /** The number of orders that must exist: accepted minus forgotten. */
  readonly expected: number;
}

const seqRow = z.object({ Seq: z.int() });
const placeRow = z.object({
  Seq: z.int(),
  OrderID: z.string(),
  ProcessState: z.string(),
  DueAt: z.int().nullable(),
  CorrelationID: z.string().nullable(),
});
const lastRow = z.object({ Last: z.int().nullable() });

/** Starts a verification of the orders that exist now. What cannot be read is a finding; neither this nor `next` throws. */
export function verification(options: VerificationOptions): Verification {
  const orders = ordersVerification(options);
  const nextOfParts = partsVerification(options);
  return { ...orders, next: (limit) => orders.next(limit) || nextOfParts(limit) };
}

function ordersVerification(options: VerificationOptions): Verification {
  try {
    return started(options, prepared(options.database));
  } catch (error) {
    const said = describeError(error);
    const isOtherwise = isOfTheSchema(error) || isDamage(error);
    const reason = isOtherwise
      ? `A table or an index is not as it was made: ${said}.`
      : `The stored orders cannot be verified: ${said}.`;
    options.damage.report({ table: 'sqlite_schema', row: null, reason });
    return { next: () => false, forgot: () => {}, checked: () => 0 };
  }
}

function started({ damage, expected }: VerificationOptions, sql: Prepared): Verification {
  const { Last: last } = lastRow.parse(sql.last.get());
  let checkedTo = 0;
  let found = 0;
  let gone = 0;
  let isOver = last === null;

  function end(): false {
    isOver = true;
    if (found + gone !== expected) {
      const reason = `${expected} orders must be there, and ${found + gone} are.`;
      damage.report({ table: 'Processes', row: null, reason });
    }
    return false;
  }

  if (isOver) end();
  return {
    checked: () => found,
    forgot(seq) {
      if (!isOver && seq > checkedTo && seq <= (last ?? 0)) gone += 1;
    },
    next(limit) {
      if (isOver) return false;
      let seqs: readonly number[];
      try {
        seqs = sql.seqs.all(checkedTo, last, limit).map((row) => seqRow.parse(row).Seq);
        assertOnward((seqs.at(-1) ?? Number.POSITIVE_INFINITY) > checkedTo);
      } catch (error) {
        isOver = true;
        const said = isCorrupt(error) ? error.message : `${describeError(error)}.`;
        const reason = `The rows after number ${checkedTo} cannot be read: ${said}`;
        damage.report({ table: 'Processes', row: checkedTo, reason });
        return false;
      }
      for (const seq of seqs) checkOrder(sql, damage, seq);
      found += seqs.length;
      checkedTo = seqs.at(-1) ?? checkedTo;
      return seqs.length === limit || end();
    },
  };
}

const isCorrupt = (error: unknown) => error instanceof CorruptDataError;

type Prepared = ReturnType<typeof prepared>;

function prepared(database: VerificationOptions['database']) {
  return {
    last: database.prepare('SELECT max(Seq) AS Last FROM Processes'),
    seqs: database.prepare(
      'SELECT Seq FROM Processes NOT INDEXED WHERE Seq > ? AND Seq <= ? ORDER BY Seq LIMIT ?',
    ),
    process: database.prepare('SELECT * FROM Processes WHERE Seq = ?'),
    order: database.prepare('SELECT * FROM Orders WHERE OrderID = ?'),
    byId: database.prepare('SELECT Seq FROM Processes WHERE OrderID = ?'),
    due: database.prepare(
      'SELECT Seq FROM Processes INDEXED BY Due WHERE DueAt = ? AND OrderID = ?',
    ),
    byCorrelation: database.prepare(
      'SELECT Seq FROM Processes INDEXED BY Correlation WHERE CorrelationID = ? AND Seq = ?',
    ),
    // SQLite uses a partial index only when the query repeats its condition.
    attention: database.prepare(
      `SELECT Seq FROM Processes INDEXED BY Attention
       WHERE ProcessState IN ('Error', 'Undone') AND ProcessState = ? AND Seq = ?`,
    ),
  };
}

function checkOrder(sql: Prepared, damage: DamageReport, seq: number): void {
  try {
    const place = damage.row('Processes', seq, () => {
      const row = sql.process.get(seq);
      assertThere(row !== undefined, 'the row is not there');
      assertIntact('Processes', row);
      return placeRow.parse(row);
    });
    damage.row('Orders', place.OrderID, () => {
      const order = sql.order.get(place.OrderID);
      assertThere(order !== undefined, `order ${place.OrderID} has no row in table Orders`);
      assertIntact('Orders', order);
    });
    damage.row('Processes', seq, () => assertFound(sql, place));
  } catch (error) {
    // Already reported.
    if (isCorrupt(error)) return;
    // One that the disk does not give, for example: the other orders are verified all the same.
    const reason = `It cannot be read: ${describeError(error)}`;
    damage.report({ table: 'Processes', row: seq, reason });
  }
}

function assertFound(sql: Prepared, place: z.infer<typeof placeRow>): void {
  const { Seq: seq, OrderID: id, ProcessState: state, DueAt: dueAt, CorrelationID } = place;
  const assertLeads = (name: string, index: StatementSync, ...key: readonly (string | number)[]) =>
    assertThere(leadsTo(seq, index, ...key), `index ${name} does not lead to order ${id}`);
  assertLeads('of ids', sql.byId, id);
  if (dueAt !== null) assertLeads('Due', sql.due, dueAt, id);
  else assertThere(state !== 'Pending' && state !== 'Processing', `live order ${id} is never due`);
  if (state === 'Error' || state === 'Undone') assertLeads('Attention', sql.attention, state, seq);
  if (CorrelationID !== null) assertLeads('Correlation', sql.byCorrelation, CorrelationID, seq);
}

function leadsTo(seq: number, index: StatementSync, ...key: readonly (string | number)[]): boolean {
  const row = seqRow.safeParse(index.get(...key));
  return row.success && row.data.Seq === seq;
}

function assertThere(isThere: boolean, what: string): asserts isThere {
  if (!isThere) throw new CorruptDataError('row-damaged', `By the indexes, ${what}.`);
}
