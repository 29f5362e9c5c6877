/**
 * Whether the document of an order, its details with a digest, is kept in the item of its record. Then its creation is one conditional write instead of a
 * transaction, which counts twice, and nothing else is to be deleted at its end; but each write of the record counts the document too. So an
 * order is one item where that is expected to cost less. A wrong guess costs at most one write unit for each write.
 */
import { textBytes } from '#core/codec/json-size.ts';
import type { Item } from './attributes.ts';

/** An order at its submission, in both forms. */
export interface Forms {
  /** The item of the record, without the document. */
  readonly record: Item;
  /** The same with the document. */
  readonly whole: Item;
  readonly steps: number;
}

/** Write units that an order saves as one item: three at its creation, one at its end. */
const savedUnits = 4;
/** What a write adds to the record: an entry of the history, and a short output; 50 on the average for the order of `npm run bill`. */
const growthBytes = 60;
/** The creation and the claim. The end of each step is a write as well. */
const writesBeside = 2;

/** Whether one item is expected to cost less, if the order goes well and each step ends by itself. */
export function isOneItem({ record, whole, steps }: Forms): boolean {
  const recordBytes = itemBytes(record);
  const wholeBytes = itemBytes(whole);
  // A larger document costs more than one unit for each write, as often as an order has to be retried.
  if (wholeBytes - recordBytes > writeUnitBytes) return false;
  let more = 0;
  for (let write = 0; write < steps + writesBeside; write += 1) {
    const growth = write * growthBytes;
    more += writeUnits(wholeBytes + growth) - writeUnits(recordBytes + growth);
  }
  return more < savedUnits;
}

/** Bytes of a write unit (DynamoDB): each that is begun counts. */
const writeUnitBytes = 1_024;

/** The write units of an item with so many bytes, outside of a transaction. */
export const writeUnits = (bytes: number): number => Math.ceil(bytes / writeUnitBytes);

/** The size of an item as DynamoDB counts it. Names and values: texts in UTF-8, a byte for two digits of a number and one more, one for a null. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, { S, N }] of Object.entries(item)) {
    bytes += textBytes(name);
    if (S !== undefined) bytes += textBytes(S);
    else if (N !== undefined) bytes += Math.ceil(N.length / 2) + 1;
    else bytes += 1;
  }
  return bytes;
}
