/**
 * Grants in the stored history: an entry has them where a gate held a step, or delayed its start. Stored instants are
 * relative to `epoch`, the submission of the order in ms since the epoch.
 */
import * as z from 'zod';
import type { Extensible } from '#core/model/extension.ts';
import { type GrantEntry, gates } from '#core/model/grant.ts';
import { stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';

/** Of a stored instant, ms after the submission. */
const offset = z.int();
/** A hold: step, gate, until, since. A delayed start: step, instant. */
const grant = z.union([
  z.tuple([z.string(), z.enum(gates), offset, offset]),
  z.tuple([z.string(), offset]),
]);
/** The grants of an entry, as they are stored. */
export const grants = z.array(grant).min(1).nullable().optional();

/** Appends the grants of an entry to its `known` elements: nothing where there are none, null where a tail follows. */
export function withGrants(
  known: readonly unknown[],
  { grants: granted, tail }: { readonly grants?: readonly GrantEntry[] } & Extensible,
  epoch: number,
): readonly unknown[] {
  if (granted !== undefined) return [...known, granted.map((one) => encodeGrant(one, epoch))];
  return tail === undefined ? known : [...known, null];
}

/** One grant in its stored form. */
export function encodeGrant(one: GrantEntry, epoch: number): readonly unknown[] {
  return one.kind === 'start'
    ? [one.step, one.startAt - epoch]
    : [one.step, one.gate, one.until - epoch, one.since - epoch];
}

/**
 * Reads the stored grants of an entry; no property where there are none.
 *
 * @throws {CorruptDataError} `instant-impossible`
 * @throws {ReeveError} `id-malformed` when the name of a step is malformed
 */
export function grantsOf(
  stored: readonly z.infer<typeof grant>[] | null | undefined,
  epoch: number,
): { readonly grants?: readonly GrantEntry[] } {
  if (stored === null || stored === undefined) return {};
  return {
    grants: stored.map((one): GrantEntry => {
      if (one.length === 2) {
        return { kind: 'start', step: stepName(one[0]), startAt: instantAfter(epoch, one[1]) };
      }
      const [step, gate, until, since] = one;
      return {
        kind: 'hold',
        step: stepName(step),
        gate,
        until: instantAfter(epoch, until),
        since: instantAfter(epoch, since),
      };
    }),
  };
}
