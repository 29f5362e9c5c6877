/**
 * A process record as an item: the attributes of its stored form, and beside them what only DynamoDB needs, for
 * its indexes and its TTL.
 */

import { decodeRecord, encodeRecord } from '#core/codec/record-codec.ts';
import { dueAt } from '#core/decide/due.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type Attributes, fromItem, type Item, toItem } from './attributes.ts';
import { attention, shardOf } from './tables.ts';

export interface RecordItemOptions {
  /** Partitions of the due index; each takes some 500 orders a second. Only ever to be raised. */
  readonly shards: number;
  /** The precision of the due index, ms: how often the Supervisor looks. */
  readonly sweepPeriodMs: number;
  /** How long an order is kept after its end, ms. */
  readonly keepEndedMs: number;
}

export function recordItem(options: RecordItemOptions, record: ProcessRecord): Item {
  const { shards, sweepPeriodMs, keepEndedMs } = options;
  const due = dueAt(record);
  const { processState, updatedAt } = record;
  const ended = processState === 'Processed' || processState === 'Undone';
  return toItem({
    ...encodeRecord(record),
    // Few have one, and every byte of an item is paid for at each transition.
    CorrelationID: record.correlationId ?? undefined,
    DueShard: shardOf(record.orderId, shards),
    // Rounded up: a quick order then moves in the index about twice in its life, not twice a step.
    DueAt: due === null ? undefined : Math.ceil(due / sweepPeriodMs) * sweepPeriodMs,
    Attention: processState === 'Error' ? attention : undefined,
    ExpiresAt: ended ? Math.ceil((updatedAt + keepEndedMs) / 1_000) : undefined,
  });
}

/**
 * @throws {CorruptDataError} when no release of Reeve wrote it
 * @throws {NewerDataError} `record-newer`
 */
export const recordOf = (item: Item): ProcessRecord => recordOfAttributes(fromItem(item));

/** As `recordOf`, of an item whose attributes are plain values. */
export function recordOfAttributes(attributes: Attributes): ProcessRecord {
  const { DueShard, DueAt, Attention, ExpiresAt, ...stored } = attributes;
  return decodeRecord(stored);
}
