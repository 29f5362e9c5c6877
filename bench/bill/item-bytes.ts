/** The size of items, as DynamoDB counts it for its price of storage. */
import { orderKey, processIndexes } from '#aws/store/tables.ts';
import { itemOverheadBytes } from './prices.ts';

export type Image = Record<string, Record<string, unknown>>;

/** Bytes of names and values. */
export function itemBytes(item: Image): number {
  return Object.entries(item).reduce((sum, [name, value]) => {
    const [raw] = Object.values(value);
    const size = 'N' in value ? Math.ceil(String(raw).length / 2) + 1 : String(raw).length;
    return sum + name.length + ('NULL' in value ? 1 : size);
  }, 0);
}

/** Bytes that are paid for as long as the item is kept. */
export interface StoredBytes {
  readonly table: number;
  /** Of its entries in the indexes, which project keys only. */
  readonly indexes: number;
}

/** @param item of the Processes table */
export function storedBytes(item: Image): StoredBytes {
  const indexes = processIndexes.reduce((sum, { partition, sort }) => {
    const keys = new Set([orderKey.name, partition.name, sort.name]);
    const entry = Object.entries(item).filter(([name]) => keys.has(name));
    if (entry.length < keys.size) return sum;
    return sum + itemBytes(Object.fromEntries(entry)) + itemOverheadBytes;
  }, 0);
  return { table: itemBytes(item) + itemOverheadBytes, indexes };
}
