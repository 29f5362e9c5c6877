/** Grants in the stored history: an entry has them where a gate held a step, or delayed its start. */
import * as z from 'zod';
import type { Extensible } from '#core/model/extension.ts';
import { type GrantEntry, gates } from '#core/model/grant.ts';
import { stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';

const at = z.int();
/** A hold: step, gate, until, since. A delayed start: step, instant. */
const grant = z.union([z.tuple([z.string(), z.enum(gates), at, at]), z.tuple([z.string(), at])]);
/** The grants of an entry; left out where there are none. */
export const grants = z.array(grant).min(1).nullable().optional();
/** Grants are left out where there are none, but where a tail follows: then their place is null. */
export function withGrants(
  known: readonly unknown[],
  { grants: granted, tail }: { readonly grants?: readonly GrantEntry[] } & Extensible,
  epoch: number,
): readonly unknown[] {
  if (granted !== undefined) return [...known, granted.map((one) => encodeGrant(one, epoch))];
  return tail === undefined ? known : [...known, null];
}

/** Instants from the submission. */
export function encodeGrant(one: GrantEntry, epoch: number): readonly unknown[] {
  return one.kind === 'start'
    ? [one.step, one.startAt - epoch]
    : [one.step, one.gate, one.until - epoch, one.since - epoch];
}

/** The grants of an entry as they were stored. */
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
