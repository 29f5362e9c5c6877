/** Names of tables and indexes, and the attributes that only DynamoDB needs. */
export interface TableNames {
  readonly orders: string;
  readonly processes: string;
}

/** A key attribute of a table or index, and its type: text or number. */
export interface Key {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** The key of both tables of an order. */
export const orderKey: Key = { name: 'OrderID', type: 'S' };
/** The key of a line in the table of orders. */
export const lineKey = (name: string) => `line#${name}`;
/** The key of the Coordination table. */
export const coordinationKey: Key = { name: 'Name', type: 'S' };
/** The key of an agent's circuit in the Coordination table. */
export const circuitKey = (agent: string) => `circuit#${agent}`;
/** The key of how long the replies of an agent wait, in the Coordination table. */
export const replyDelayKey = (agent: string) => `replies#${agent}`;
/** The key of a limit in the Coordination table; its name begins with that of its agent or pool. */
export const limitKey = (name: string) => `limit#${name}`;
/** The key of the orders that wait, as the Supervisor reports them, in the Coordination table. */
export const admissionKey = 'admission';
/** The key of what operators changed of agents, in the Coordination table. */
export const agentSettingsKey = 'agents';
/** The TTL attribute of ended records, and of limits in the Coordination table, in seconds since the epoch. */
export const expiryAttribute = 'ExpiresAt';

/** The value of that attribute: whole seconds, and no earlier. */
export const expiryOf = (atMs: number) => Math.ceil(atMs / 1_000);

export interface Index {
  readonly name: string;
  readonly partition: Key;
  readonly sort: Key;
}

/** Live orders by shard and due time; sparse, because ended orders have no `DueAt`. */
export const dueIndex: Index = {
  name: 'Due',
  partition: { name: 'DueShard', type: 'N' },
  sort: { name: 'DueAt', type: 'N' },
};
/** All orders by shard and submission time, for listings; never rewritten. */
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
 * Orders with a correlation id; sparse, and never rewritten. Spread over the shards, because one id on every
 * order would otherwise make one partition hot, and a throttled index throttles its table.
 */
export const correlationIndex: Index = {
  name: 'Correlation',
  partition: { name: 'DueShard', type: 'N' },
  sort: { name: 'CorrelationID', type: 'S' },
};
/** Orders with a step that waits for an agent, by agent and class, then by tenant and time; sparse (held-key.ts). */
export const heldIndex: Index = {
  name: 'Held',
  partition: { name: 'HeldFor', type: 'S' },
  sort: { name: 'HeldTurn', type: 'S' },
};
/** The only partition of the Attention index. */
export const attention = 'Error';

/**
 * Each index projects the keys only. A release adds one at most, because an update of a stack creates one index of a table
 * only (CloudFormation, AWS::DynamoDB::GlobalTable).
 */
export const processIndexes: readonly Index[] = [
  dueIndex,
  recentIndex,
  attentionIndex,
  correlationIndex,
  heldIndex,
];

/** Limited by one BatchGetItem (100 keys). */
export const shardsMax = 64;

/** FNV-1a: distributes order ids over the shards, identically in every process and release. */
export function shardOf(orderId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < orderId.length; at += 1) {
    hash = Math.imul(hash ^ orderId.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
