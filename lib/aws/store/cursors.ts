/** Cursors: where a query continues, as text that is validated when a caller sends it. */
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';
import type { Item } from './attributes.ts';
import type { Position } from './listing-order.ts';

const number = z.int().nonnegative();

/** Digits as DynamoDB returned them: the entry may not be one that Reeve wrote. */
const numeric = z.string().regex(/^[-+.\dEe]{1,60}$/);
const dueKey = z.tuple([numeric, numeric, z.string().min(1)]);

/** Cursor of one shard of the due index. */
export const dueCursor = {
  encode(key: Item): string {
    return pack([key['DueShard']?.N, key['DueAt']?.N, key['OrderID']?.S]);
  },
  decode(cursor: string): Item {
    const [shard, at, order] = unpack(dueKey, cursor);
    return { DueShard: { N: shard }, DueAt: { N: at }, OrderID: { S: order } };
  },
};

const position = z
  .tuple([number, z.string().regex(/^[\da-f]{0,64}$/)])
  .transform(([at, from]): Position => ({ at, from }));

/** Whether a cursor can hold this instant of a submission. */
export const isListed = (submittedAt: number) => number.safeParse(submittedAt).success;

/** Cursor of a listing. */
export const listCursor = {
  encode: ({ at, from }: Position): string => pack([at, from]),
  decode: (cursor: string): Position => unpack(position, cursor),
};

const pack = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @throws {ReeveError} `cursor-invalid` */
function unpack<Value>(schema: z.ZodType<Value>, cursor: string): Value {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ReeveError(
      'cursor-invalid',
      'The cursor was not returned by a listing. Start again without a cursor.',
      { cause },
    );
  }
}
