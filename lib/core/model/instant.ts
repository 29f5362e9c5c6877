/** Instants as stored and sent: only those that `Date` can represent, because any of them may be shown. */
import * as z from 'zod';
import { CorruptDataError } from './errors.ts';
import { limits } from './limits.ts';

/** Milliseconds since the epoch, within the range of `Date`. */
export const instant = z.int().min(-limits.instantMaxMs).max(limits.instantMaxMs);

/**
 * The instant `offset` ms after `epoch`.
 *
 * @throws {CorruptDataError} `instant-impossible` when `Date` cannot represent it
 */
export function instantAfter(epoch: number, offset: number): number {
  const at = epoch + offset;
  if (Math.abs(at) <= limits.instantMaxMs) return at;
  throw new CorruptDataError(
    'instant-impossible',
    `${offset} ms after ${epoch} is not a valid date. Restore the data that contain it from a backup.`,
  );
}
