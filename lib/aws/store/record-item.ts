/** A process record as an item: its stored form, plus attributes for DynamoDB's indexes and TTL. */

import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { dueKeyOf } from '#core/decide/due.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type Attributes, fromItem, type Item, toItem } from './attributes.ts';
import { heldKeyOf } from './held-key.ts';
import { attention, expiryOf, shardOf } from './tables.ts';

export interface RecordItemOptions {
  /** Partitions of the due index; each supports some 500 orders per second. May only be raised. */
  readonly shards: number;
  /** The sweep period, and so the precision of the due index, ms. */
  readonly sweepPeriodMs: number;
  /** How long an order is kept after its end, ms. */
  readonly keepEndedMs: number;
}

export function recordItem(options: RecordItemOptions, record: ProcessRecord): Item {
  const { shards, sweepPeriodMs, keepEndedMs } = options;
  const due = dueKeyOf(record, sweepPeriodMs);
  const { processState, updatedAt } = record;
  const ended = processState === 'Processed' || processState === 'Undone';
  return toItem({
    ...encodeRecord(record),
    // Omitted when null: few orders have one, and each transition pays for every byte of the item.
    CorrelationID: record.correlationId ?? undefined,
    DueShard: shardOf(record.orderId, shards),
    DueAt: due ?? undefined,
    ...heldKeyOf(record),
    Attention: processState === 'Error' ? attention : undefined,
    ExpiresAt: ended ? expiryOf(updatedAt + keepEndedMs) : undefined,
  });
}

/**
 * @throws {CorruptDataError} when no version of Reeve wrote it
 * @throws {NewerDataError} `record-newer`
 */
export const recordOf = (item: Item): ProcessRecord => recordOfAttributes(fromItem(item));

/** Like `recordOf`, for an item with plain values as attributes. */
export function recordOfAttributes(attributes: Attributes): ProcessRecord {
  const { DueShard, DueAt, Attention, ExpiresAt, HeldFor, HeldTurn, ...stored } = attributes;
  return decodeRecord(stored);
}
