/** What comes out of the tables: checked, then as the types of lib/core. */
import * as z from 'zod';
import type { Change } from '#core/change.ts';
import { CorruptDataError, ReeveError } from '#core/errors.ts';
import { orderId } from '#core/ids.ts';
import { instant } from '#core/instant.ts';
import { jsonSchema } from '#core/json-schema.ts';
import { changeSchema } from '#core/message-codec.ts';
import { type Order, type ProcessRecord, processStates } from '#core/record.ts';
import { decodeRecord } from '#core/record-codec.ts';

const orderRow = z.object({
  OrderID: z.string().transform(orderId),
  Details: z.string(),
  Digest: z.string(),
  SubmittedAt: instant,
});
const dueRow = z.object({ DueAt: z.int(), OrderID: z.string().transform(orderId) });
const seqRow = z.object({ Seq: z.int() });
const ageRow = z.object({
  Seq: z.int(),
  OrderID: z.string(),
  ProcessState: z.enum(processStates),
  SubmittedAt: z.int(),
  UpdatedAt: z.int(),
});
const changeRow = z.object({ Seq: z.int(), Change: z.string() });

export function recordOf(row: unknown): ProcessRecord {
  return decodeRecord(row);
}

export function orderOf(row: unknown): Order {
  return checked('order', () => {
    const { OrderID, Details, Digest, SubmittedAt } = orderRow.parse(row);
    return {
      orderId: OrderID,
      details: jsonSchema.parse(JSON.parse(Details)),
      digest: Digest,
      submittedAt: SubmittedAt,
    };
  });
}

export function dueOf(row: unknown): z.infer<typeof dueRow> {
  return checked('due entry', () => dueRow.parse(row));
}

export function seqOf(row: unknown): number {
  return checked('sequence', () => seqRow.parse(row).Seq);
}

export function ageOf(row: unknown): z.infer<typeof ageRow> {
  return checked('order', () => ageRow.parse(row));
}

export function changeOfRow(row: unknown): { seq: number; change: Change } {
  return checked('change', () => {
    const { Seq, Change: text } = changeRow.parse(row);
    return { seq: Seq, change: changeSchema.parse(JSON.parse(text)) };
  });
}

function checked<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new CorruptDataError(
      'row-corrupt',
      `A stored ${what} cannot be read. Restore the data from a backup, or remove it by hand.`,
      { cause: error },
    );
  }
}

const LIST_CURSOR = /^\d{1,16}$/;
const DUE_CURSOR = /^(\d{1,16})\.([A-Za-z0-9_-]{1,64})$/;

/** @throws {ReeveError} `cursor-invalid` */
export function listCursor(cursor: string | null): number {
  if (cursor === null) return Number.MAX_SAFE_INTEGER;
  if (LIST_CURSOR.test(cursor)) return Number(cursor);
  throw cursorInvalid();
}

/** @throws {ReeveError} `cursor-invalid` */
export function dueCursor(cursor: string): readonly [number, string] {
  const [, at, id] = DUE_CURSOR.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw cursorInvalid();
  return [Number(at), id];
}

function cursorInvalid(): ReeveError {
  return new ReeveError(
    'cursor-invalid',
    'The cursor is not one that a listing gave. Start again without a cursor.',
  );
}
