/** Decodes stored rows; verifies the checksum before it reads the columns. */
import { CorruptDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import { changeOfRow, orderOf, recordOf } from '#embedded/rows.ts';
import { assertIntact, type CheckedTable } from './checksums.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * @param orderId the order that the row must belong to; null: any order
 * @throws {CorruptDataError} `row-damaged`, `row-corrupt`
 */
export function intactRecord(row: Row | undefined, orderId: OrderId | null): ProcessRecord {
  const record = recordOf(intact('Processes', row));
  assertIsOf(orderId, record.orderId);
  return record;
}

export function intactOrder(row: Row | undefined, orderId: OrderId): Order {
  const order = orderOf(intact('Orders', row));
  assertIsOf(orderId, order.orderId);
  return order;
}

export const intactChange = (row: Row | undefined) => changeOfRow(intact('Changes', row));

/** The text of the line. */
export const intactLine = (row: Row | undefined): unknown => intact('Lines', row)['OrderIDs'];

function intact(table: CheckedTable, row: Row | undefined): Row {
  if (row === undefined)
    throw damaged('It is missing, though another table or index refers to it.');
  assertIntact(table, row);
  return row;
}

function assertIsOf(asked: OrderId | null, found: OrderId): void {
  if (asked === null || asked === found) return;
  throw damaged(`An index leads from order ${asked} to order ${found}.`);
}

const damaged = (what: string) => new CorruptDataError('row-damaged', what);
