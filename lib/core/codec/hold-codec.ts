/**
 * Holds in the stored history: an entry has them where a gate held a step. Stored instants are relative to `epoch`, the
 * submission of the order in ms since the epoch.
 */
import * as z from 'zod';
import type { Extensible } from '#core/model/extension.ts';
import { gates, type HoldEntry } from '#core/model/hold.ts';
import { stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';

/** Of a stored instant, ms after the submission. */
const offset = z.int();
/** Step, gate, until, since. */
const hold = z.tuple([z.string(), z.enum(gates), offset, offset]);
/** The holds of an entry, as they are stored. */
export const storedHolds = z.array(hold).min(1).nullable().optional();

/** Appends the holds of an entry to its `known` elements: nothing where there are none, null where a tail follows. */
export function withHolds(
  known: readonly unknown[],
  { holds, tail }: { readonly holds?: readonly HoldEntry[] } & Extensible,
  epoch: number,
): readonly unknown[] {
  if (holds !== undefined) return [...known, holds.map((one) => encodeHold(one, epoch))];
  return tail === undefined ? known : [...known, null];
}

/** One hold in its stored form. */
export function encodeHold(
  { step, gate, until, since }: HoldEntry,
  epoch: number,
): readonly unknown[] {
  return [step, gate, until - epoch, since - epoch];
}

/**
 * Reads the stored holds of an entry; no property where there are none.
 *
 * @throws {CorruptDataError} `instant-impossible`
 * @throws {ReeveError} `id-malformed` when the name of a step is malformed
 */
export function holdsOf(
  stored: readonly z.infer<typeof hold>[] | null | undefined,
  epoch: number,
): { readonly holds?: readonly HoldEntry[] } {
  if (stored === null || stored === undefined) return {};
  return {
    holds: stored.map(([step, gate, until, since]) => ({
      step: stepName(step),
      gate,
      until: instantAfter(epoch, until),
      since: instantAfter(epoch, since),
    })),
  };
}
