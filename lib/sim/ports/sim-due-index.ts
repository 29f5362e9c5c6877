/** A due index that follows late, and whose number of shards each writer knows for itself: releases may have different ones. */
import { dueKeyOf } from '#core/decide/due.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** What the index has of an order. */
export interface IndexEntry {
  readonly visibleAt: number;
  readonly dueAt: number | null;
  readonly shard: number;
}

export interface SimDueIndex {
  /** @param shards of the release that wrote the record */
  write(record: ProcessRecord, shards: number): void;
  /** The entry that a query sees. */
  shown(orderId: OrderId): IndexEntry | undefined;
  /** The shards that the order was written to. */
  shardsOf(orderId: OrderId): readonly number[];
  /** Whether every write is seen. */
  isIndexed(): boolean;
}

export interface DueIndexOptions {
  readonly now: () => number;
  /** The precision of due times, which are rounded up to it, ms. */
  readonly sweepPeriodMs: number;
  /** The delay of a write in the index, ms; drawn for each write. */
  readonly indexLag: () => number;
}

export function simDueIndex({ now, sweepPeriodMs, indexLag }: DueIndexOptions): SimDueIndex {
  const index = new Map<OrderId, IndexEntry[]>();
  const written = new Map<OrderId, Set<number>>();
  return {
    write(record, shards) {
      const { orderId } = record;
      const entries = index.get(orderId) ?? [];
      // The index shows the writes of one item in sequence.
      const visibleAt = Math.max(now() + indexLag(), entries.at(-1)?.visibleAt ?? 0);
      const seen = entries.findLastIndex((entry) => entry.visibleAt <= now());
      const shard = shardOf(orderId, shards);
      const entry = { visibleAt, dueAt: dueKeyOf(record, sweepPeriodMs), shard };
      index.set(orderId, [...entries.slice(Math.max(0, seen)), entry]);
      written.set(orderId, (written.get(orderId) ?? new Set()).add(shard));
    },
    shown: (orderId) => index.get(orderId)?.findLast(({ visibleAt }) => visibleAt <= now()),
    shardsOf: (orderId) => [...(written.get(orderId) ?? [])],
    isIndexed: () => [...index.values()].every((own) => (own.at(-1)?.visibleAt ?? 0) <= now()),
  };
}

/** The shard of an order where there are so many. */
export function shardOf(orderId: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < orderId.length; at += 1) sum = (sum * 31 + orderId.charCodeAt(at)) >>> 0;
  return sum % shards;
}
