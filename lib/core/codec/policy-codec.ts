/** The policy of a step in its stored form: numbers and flags, then the options that are not the default. */
import * as z from 'zod';
import { tailOf, withTail } from '#core/model/extension.ts';
import type { StepPolicy } from '#core/model/record.ts';
import { jsonSchema } from './json-schema.ts';

const flag = z.literal([0, 1]);
const always = [z.int(), z.int(), z.int(), z.int(), z.int(), flag, flag, flag] as const;
/** An option that is the default is left out, or null where another option or a tail follows it. */
const options = [
  z.int().positive().nullable().optional(),
  z.number().min(1).nullable().optional(),
  z.int().positive().nullable().optional(),
] as const;

/** A stored policy. Every policy has exactly one stored form: it does not end with an option that is null. */
export const policySchema = z.tuple([...always, ...options], jsonSchema).refine((stored) => {
  const endsWithOption =
    stored.length > always.length && stored.length <= always.length + options.length;
  return !endsWithOption || stored.at(-1) !== null;
});

/** The policy without the options that are the default. */
export function encodePolicy(from: StepPolicy): readonly unknown[] {
  const known = [
    from.completeWithinMs,
    from.maxDurationMs,
    from.retries,
    from.coolDownMs,
    from.coolDownTimes,
    from.onFault === 'undo' ? 1 : 0,
    from.onExhausted === 'undo' ? 1 : 0,
    from.irreversible ? 1 : 0,
  ];
  const { holdMaxMs = null, coolDownFactor = null, coolDownMaxMs = null } = from;
  const all = [holdMaxMs, coolDownFactor, coolDownMaxMs];
  const used =
    from.tail === undefined ? all.findLastIndex((option) => option !== null) + 1 : all.length;
  return withTail([...known, ...all.slice(0, used)], from);
}

/** The policy that {@link encodePolicy} stored. */
export function decodePolicy(stored: z.infer<typeof policySchema>): StepPolicy {
  const [completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes, ...rest] = stored;
  const [undoOnFault, undoOnExhausted, irreversible, ...optional] = rest;
  const [holdMaxMs, coolDownFactor, coolDownMaxMs, ...tail] = optional;
  return {
    completeWithinMs,
    maxDurationMs,
    retries,
    coolDownMs,
    coolDownTimes,
    onFault: undoOnFault === 1 ? 'undo' : 'hold',
    onExhausted: undoOnExhausted === 1 ? 'undo' : 'hold',
    irreversible: irreversible === 1,
    ...(typeof holdMaxMs === 'number' && { holdMaxMs }),
    ...(typeof coolDownFactor === 'number' && { coolDownFactor }),
    ...(typeof coolDownMaxMs === 'number' && { coolDownMaxMs }),
    ...tailOf(tail),
  };
}
