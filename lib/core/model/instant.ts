/** Instants as they are stored and sent: those that have a date, because every one of them may be shown. */
import * as z from 'zod';
import { CorruptDataError } from './errors.ts';
import { limits } from './limits.ts';

export const instant = z.int().min(-limits.instantMaxMs).max(limits.instantMaxMs);

/**
 * The instant so many ms after the epoch.
 *
 * @throws {CorruptDataError} `instant-impossible` for one that has no date
 */
export function instantAfter(epoch: number, offset: number): number {
  const at = epoch + offset;
  if (Math.abs(at) <= limits.instantMaxMs) return at;
  throw new CorruptDataError(
    'instant-impossible',
    `${offset} ms after ${epoch} is no date. Restore what says so from a backup.`,
  );
}
