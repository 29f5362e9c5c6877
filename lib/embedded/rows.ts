/** Decodes rows of the tables into the types of lib/core. */
import * as z from 'zod';
import { jsonSchema } from '#core/codec/json-schema.ts';
import { changeSchema } from '#core/codec/messages/change-codec.ts';
import { decodeRecord } from '#core/codec/record-codec.ts';
import { type Audience, audiences, type Change } from '#core/model/change.ts';
import { CorruptDataError, ReeveError } from '#core/model/errors.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import { instant } from '#core/model/instant.ts';
import { type Order, type ProcessRecord, processStates } from '#core/model/record.ts';

const orderRow = z.object({
  OrderID: z.string().transform(orderId),
  Details: z.string(),
  Digest: z.string(),
  SubmittedAt: instant,
});
const dueRow = z.object({ DueAt: z.int(), OrderID: z.string() });
const settingRow = z
  .object({ Agent: z.string(), Kind: z.string(), Value: z.string() })
  .transform(({ Agent: agent, Kind: kind, Value: text }) => ({ agent, kind, text }));
const listRow = z.object({ Seq: z.int(), OrderID: z.string() });
/** Read as a large integer: as a number, one that is too large would make the read of all rows fail. */
const large = z.union([z.int(), z.bigint().transform(Number).pipe(z.int())]);
const numberRow = z.object({ Seq: large });
const placeRow = z.object({ DueAt: z.int().nullable() });
const ageRow = z.object({
  Seq: large,
  OrderID: z.string(),
  ProcessState: z.enum(processStates),
  SubmittedAt: large,
  UpdatedAt: large,
});
const changeRow = z.object({ Seq: z.int(), Change: z.string(), Audience: z.enum(audiences) });

const extensionRow = z.object({ Extension: z.string().nullable().optional() });
const extension = z.record(z.string(), z.unknown());

/** Drops the columns of this store, and adds the attributes in `Extension`. */
export function recordOf(row: unknown): ProcessRecord {
  const text = extensionRow.safeParse(row).data?.Extension ?? null;
  if (text === null) return decodeRecord(storedColumns(row));
  const more = checked('extension', () => extension.parse(JSON.parse(text)));
  return decodeRecord({ ...more, ...storedColumns(row) });
}

function storedColumns(row: unknown): object {
  if (typeof row !== 'object' || row === null) throw corrupt('process record', undefined);
  const { Seq, DueAt, Extension, Checksum, ...stored } = { ...ownColumns, ...row };
  return stored;
}
const ownColumns = { Seq: null, DueAt: null, Extension: null, Checksum: null };

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

export function settingOf(row: unknown): z.infer<typeof settingRow> {
  return checked('agent setting', () => settingRow.parse(row));
}

/** The number of a row. */
export function numberOf(row: unknown): number {
  return checked('row number', () => numberRow.parse(row).Seq);
}

/** The key in the due index that is stored with a record; null: it is not in the index. */
export function dueKeyOf(row: unknown): number | null {
  return checked('due entry', () => placeRow.parse(row).DueAt);
}

/** The order id in an entry of an index. */
export function idOf({ OrderID }: { readonly OrderID: string }): OrderId {
  return checked('order id', () => orderId(OrderID));
}

export function listedOf(row: unknown): z.infer<typeof listRow> {
  return checked('place in a listing', () => listRow.parse(row));
}

export function ageOf(row: unknown): z.infer<typeof ageRow> {
  return checked('order', () => ageRow.parse(row));
}

export function changeOfRow(row: unknown): { seq: number; change: Change; audience: Audience } {
  return checked('change', () => {
    const { Seq, Change: text, Audience: audience } = changeRow.parse(row);
    return { seq: Seq, change: changeSchema.parse(JSON.parse(text)), audience };
  });
}

function checked<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw corrupt(what, error);
  }
}

function corrupt(what: string, cause: unknown): CorruptDataError {
  return new CorruptDataError(
    'row-corrupt',
    `A stored ${what} cannot be read. Restore the data from a backup, or remove it by hand.`,
    { cause },
  );
}

const LIST_CURSOR = /^\d{1,16}$/;
/** Names the last entry of a page, whose id may be corrupt. */
const DUE_CURSOR = /^(\d{1,16})\.(.*)$/s;

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
    'The cursor was not returned by a listing. Start again without a cursor.',
  );
}
