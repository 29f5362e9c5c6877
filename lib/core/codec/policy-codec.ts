/** The policy of a step in its stored form: numbers and flags, then the options that are not the default. */
import * as z from 'zod';
import { type Extensible, tailOf, withTail } from '#core/model/extension.ts';
import type { CallPolicy, StepPolicy } from '#core/model/policy.ts';
import { jsonSchema } from './json-schema.ts';

const flag = z.literal([0, 1]);
const factor = z.number().min(1).nullable().optional();
const duration = z.int().positive().nullable().optional();

/** An option that is the default is left out, or null where another option or a tail follows it. */
const hasOneForm = (always: number, options: number) => (stored: readonly unknown[]) =>
  stored.length <= always || stored.length > always + options || stored.at(-1) !== null;

const undoSchema = z
  .tuple([z.int(), z.int(), z.int(), z.int(), z.int(), factor, duration], jsonSchema)
  .refine(hasOneForm(5, 2));

/** A stored policy. Every policy has exactly one stored form. */
export const policySchema = z
  .tuple(
    [
      z.int(),
      z.int(),
      z.int(),
      z.int(),
      z.int(),
      flag,
      flag,
      flag,
      // holdMaxMs, coolDownFactor, coolDownMaxMs, undo
      duration,
      factor,
      duration,
      undoSchema.nullable().optional(),
    ],
    jsonSchema,
  )
  .refine(hasOneForm(8, 4));

/** The policy without the options that are the default. Called for every step of every write. */
export function encodePolicy(from: StepPolicy): readonly unknown[] {
  const { holdMaxMs = null, coolDownFactor = null, coolDownMaxMs = null, undo, tail } = from;
  const always = [
    from.completeWithinMs,
    from.maxDurationMs,
    from.retries,
    from.coolDownMs,
    from.coolDownTimes,
    from.onFault === 'undo' ? 1 : 0,
    from.onExhausted === 'undo' ? 1 : 0,
    from.irreversible ? 1 : 0,
  ];
  const hasOption = holdMaxMs !== null || coolDownFactor !== null || coolDownMaxMs !== null;
  if (!hasOption && undo === undefined && tail === undefined) return always;
  const undoForm = undo === undefined ? null : encodeUndo(undo);
  return withOptions(always, [holdMaxMs, coolDownFactor, coolDownMaxMs, undoForm], from);
}

function encodeUndo(from: CallPolicy): readonly unknown[] {
  const { coolDownFactor = null, coolDownMaxMs = null } = from;
  const { completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes } = from;
  const always = [completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes];
  return withOptions(always, [coolDownFactor, coolDownMaxMs], from);
}

function withOptions(
  always: readonly unknown[],
  options: readonly unknown[],
  from: Extensible,
): readonly unknown[] {
  const used = options.findLastIndex((option) => option !== null) + 1;
  const stored = from.tail === undefined ? options.slice(0, used) : options;
  return withTail([...always, ...stored], from);
}

/** The policy that {@link encodePolicy} stored. */
export function decodePolicy(stored: z.infer<typeof policySchema>): StepPolicy {
  const [completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes, ...rest] = stored;
  const [undoOnFault, undoOnExhausted, irreversible, ...options] = rest;
  const [holdMaxMs, coolDownFactor, coolDownMaxMs, undo, ...tail] = options;
  return {
    ...{ completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes },
    onFault: undoOnFault === 1 ? 'undo' : 'hold',
    onExhausted: undoOnExhausted === 1 ? 'undo' : 'hold',
    irreversible: irreversible === 1,
    ...(typeof holdMaxMs === 'number' && { holdMaxMs }),
    ...growthOf(coolDownFactor, coolDownMaxMs),
    ...(undo !== null && undo !== undefined && { undo: decodeUndo(undo) }),
    ...tailOf(tail),
  };
}

function decodeUndo(stored: z.infer<typeof undoSchema>): CallPolicy {
  const [completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes, ...options] = stored;
  const [coolDownFactor, coolDownMaxMs, ...tail] = options;
  return {
    ...{ completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes },
    ...growthOf(coolDownFactor, coolDownMaxMs),
    ...tailOf(tail),
  };
}

type Option = number | null | undefined;

function growthOf(
  coolDownFactor: Option,
  coolDownMaxMs: Option,
): Pick<CallPolicy, 'coolDownFactor' | 'coolDownMaxMs'> {
  return {
    ...(typeof coolDownFactor === 'number' && { coolDownFactor }),
    ...(typeof coolDownMaxMs === 'number' && { coolDownMaxMs }),
  };
}
