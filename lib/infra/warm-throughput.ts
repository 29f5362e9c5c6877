/** The warm throughput of tables and indexes for a rate of new orders, so that they accept it from their first minute. */
import type { WarmThroughput } from 'aws-cdk-lib/aws-dynamodb';

/**
 * Write units of an order of three steps that goes well and whose details are an item of their own, by table and index
 * (`npm run bill`): a smaller one takes none of Orders, and one fewer of Processes. More steps cost one unit of Processes
 * each. The indexes that are not here have orders that fail or wait.
 */
const unitsPerOrder = { Orders: 3, Processes: 6, Due: 2, Recent: 1, Correlation: 1 } as const;
type Warm = keyof typeof unitsPerOrder;

/** What a new table on demand, or an index of one, accepts without being prepared (DynamoDB, warm throughput). */
const asNew = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 } as const;
/** Write units of a partition, of 1,000 per second: the rest is for keys that are not spread evenly. */
const usedUnits = 700;
/** DynamoDB makes one partition for each so many write units. */
const partitionUnits = 1_000;

const isWarm = (name: string): name is Warm => name in unitsPerOrder;

/** What warm throughput depends on. */
export interface WarmFor {
  /** New orders per second. */
  readonly orders: number;
  /** The keys of the indexes that have one for each shard. */
  readonly shards: number;
}

/** Write units per second of a table or index; of an index by shard at least a partition for each shard, which a recovery may need. */
export function warmWriteUnits(name: Warm, { orders, shards }: WarmFor): number {
  const partitions = Math.ceil((unitsPerOrder[name] * orders) / usedUnits);
  const keys = name === 'Orders' || name === 'Processes' ? 0 : shards;
  return Math.max(asNew.writeUnitsPerSecond, Math.max(partitions, keys) * partitionUnits);
}

/** The property of a table or index of this name; nothing where it accepts as much when it is new. */
export function warmTables(
  warmFor: WarmFor | undefined,
): (name: string) => { readonly warmThroughput?: WarmThroughput } {
  return (name) => {
    if (warmFor === undefined || !isWarm(name)) return {};
    const writeUnitsPerSecond = warmWriteUnits(name, warmFor);
    if (writeUnitsPerSecond === asNew.writeUnitsPerSecond) return {};
    // An order reads less than it writes.
    const readUnitsPerSecond = Math.max(asNew.readUnitsPerSecond, writeUnitsPerSecond);
    return { warmThroughput: { readUnitsPerSecond, writeUnitsPerSecond } };
  };
}
