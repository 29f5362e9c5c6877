/** Mistakes in the limits that the functions of a deployment share. */
import { type Mutant, mutantIn } from './mutant.ts';

const inLimits = mutantIn('distributed/limits');

export const mutantsOfLimits: readonly Mutant[] = [
  inLimits(
    'let room end before the call that has it',
    'room-leases',
    'item.enter(want.holder, want.until + graceMs, max)',
    'item.enter(want.holder, want.until - graceMs, max)',
  ),
  inLimits(
    'give the calls that ask together one slot',
    'rate-leases',
    'const startAt = Math.max(from, slot - (burst - 1) * everyMs);',
    'const startAt = Math.max(from, slots[0] ?? slot);',
  ),
  inLimits(
    'move a rate by one slot for several calls',
    'rate-item',
    'const byMs = taken * rate.everyMs;',
    'const byMs = rate.everyMs;',
  ),
  inLimits(
    'make all calls of an attempt in one slot',
    'slotted-breaker',
    'slots.set(request, null);',
    '',
  ),
  inLimits(
    'begin a call before its slot',
    'slotted-breaker',
    'if (waitMs > 0) return refusal(waitMs);',
    '',
  ),
  inLimits(
    'take a holder for gone whose time is not over',
    'known-holders',
    'gone.has(holder) || until < nowMs || until > latest',
    'gone.has(holder) || until < nowMs + 10_000 || until > latest',
  ),
  inLimits(
    'give a spare slot to several calls',
    'spare-slots',
    'own = own.filter((slot) => slot !== found);',
    '',
  ),
  inLimits(
    'lease a rate from the instant that the instance knows alone',
    'rate-item',
    'if (at === null) {\n      known = { ...nothing, reserved };\n      return null;\n    }',
    'if (at === null || !isMoved) return leasedOf({ first: from, taken, from, freshBefore: from }, rate, []);',
  ),
];
