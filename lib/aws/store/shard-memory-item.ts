/** A shard's sweep memory as the Coordination table stores it. */
import * as z from 'zod';
import { type ShardMemory, withReached } from '#core/decide/sweep-gaps.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import { instant } from '#core/model/instant.ts';
import type { Attributes, Item } from './attributes.ts';

const storedCounts = z.array(z.int().positive());
const storedGaps = z.array(z.tuple([instant, instant]));

/** The values of an update expression. */
export function memoryAttributes({ aliveAt, waitingFrom, gaps, rampAt }: ShardMemory): Attributes {
  return {
    ':alive': aliveAt,
    ':waiting': waitingFrom,
    ':gaps': JSON.stringify(gaps.map(({ from, until }) => [from, until])),
    ':ramp': rampAt,
  };
}

/**
 * An item that an older version wrote has only a lease, so the memory is empty.
 *
 * @throws {CorruptDataError} `coordination-corrupt` when no version of Reeve wrote it
 */
export function memoryOf(item: Item): ShardMemory {
  const gaps = gapsOf(item['Gaps']?.S ?? '[]');
  const rampAt = numberOf(item, 'RampAt') ?? 0;
  const aliveAt = numberOf(item, 'AliveAt');
  const waitingFrom = numberOf(item, 'WaitingFrom');
  return withReached({ aliveAt, waitingFrom, gaps, rampAt }, numberOf(item, 'FinishedAt'));
}

/** Whether the shard has no work left; its item says when a sweep last reached it. */
export const isFinished = (item: Item) => 'FinishedAt' in item && !('Holder' in item);

/**
 * The numbers of shards of the mark of a tick; an older version wrote only the highest one.
 *
 * @throws {CorruptDataError} `coordination-corrupt` when no version of Reeve wrote it
 */
export function shardCountsOf(mark: Item | undefined): readonly number[] {
  const text = mark?.['ShardCounts']?.S;
  if (text === undefined) return [numberOf(mark, 'Shards') ?? []].flat();
  try {
    return storedCounts.parse(JSON.parse(text));
  } catch (cause) {
    throw new CorruptDataError(
      'coordination-corrupt',
      'The numbers of shards cannot be read. Delete the attribute ShardCounts of the item `sweep` from the Coordination table.',
      { cause },
    );
  }
}

function gapsOf(text: string): ShardMemory['gaps'] {
  try {
    return storedGaps.parse(JSON.parse(text)).map(([from, until]) => ({ from, until }));
  } catch (cause) {
    throw new CorruptDataError(
      'coordination-corrupt',
      'The sweep memory of a shard cannot be read. Delete the item `shard#…` whose Gaps are not a list of pairs of instants from the Coordination table.',
      { cause },
    );
  }
}

export function numberOf(item: Item | undefined, name: string): number | null {
  const text = item?.[name]?.N;
  return text === undefined ? null : Number(text);
}
