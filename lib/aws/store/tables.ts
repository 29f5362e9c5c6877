/** Names of tables, indexes and the attributes that only DynamoDB needs. */
export interface TableNames {
  readonly orders: string;
  readonly processes: string;
}

/** A key of a table or index: an attribute and whether it is a text or a number. */
export interface Key {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** Both tables of an order are found by it. */
export const orderKey: Key = { name: 'OrderID', type: 'S' };
/** The Coordination table's. */
export const coordinationKey: Key = { name: 'Name', type: 'S' };
/** What DynamoDB deletes ended records by, in seconds. */
export const expiryAttribute = 'ExpiresAt';

export interface Index {
  readonly name: string;
  readonly partition: Key;
  readonly sort: Key;
}

/** Every live order by shard and due time; sparse, because `DueAt` is gone at an order's end. */
export const dueIndex: Index = {
  name: 'Due',
  partition: { name: 'DueShard', type: 'N' },
  sort: { name: 'DueAt', type: 'N' },
};
/** Every order by shard and submission, for listings; never rewritten. */
export const recentIndex: Index = {
  name: 'Recent',
  partition: { name: 'DueShard', type: 'N' },
  sort: { name: 'SubmittedAt', type: 'N' },
};
/** Orders in Error; sparse. */
export const attentionIndex: Index = {
  name: 'Attention',
  partition: { name: 'Attention', type: 'S' },
  sort: { name: 'SubmittedAt', type: 'N' },
};
/**
 * Orders to which their submitter gave a name; sparse, and never rewritten. Spread over the shards, because
 * one name for every order would otherwise make one partition hot, and a throttled index throttles its table.
 */
export const correlationIndex: Index = {
  name: 'Correlation',
  partition: { name: 'DueShard', type: 'N' },
  sort: { name: 'CorrelationID', type: 'S' },
};
/** The one partition of the Attention index. */
export const attention = 'Error';

/** All of them hold the keys alone. */
export const processIndexes: readonly Index[] = [
  dueIndex,
  recentIndex,
  attentionIndex,
  correlationIndex,
];

/** Remembered in one BatchGetItem (100 keys), and told of in one cursor (core's limit of its length). */
export const shardsMax = 32;

/** FNV-1a: spreads order ids over the shards, the same in every process and for ever. */
export function shardOf(orderId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < orderId.length; at += 1) {
    hash = Math.imul(hash ^ orderId.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
