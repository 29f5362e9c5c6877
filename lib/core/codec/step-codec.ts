/** Encodes steps as compact JSON: an array per step, a letter per state, instants relative to the submission. */
import * as z from 'zod';
import { tailOf, withTail } from '#core/model/extension.ts';
import { effects, type Fault } from '#core/model/fault.ts';
import { gates } from '#core/model/hold.ts';
import { agentName, stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';
import type { Held, StepProgress, StepRecord, UnderWay, Undoable } from '#core/model/record.ts';
import { jsonSchema } from './json-schema.ts';
import { decodePolicy, encodePolicy, policySchema } from './policy-codec.ts';
import { taggedTuple } from './tagged-tuple.ts';

const gate = z.enum(gates);
const fault = z.tuple([z.string(), z.string(), z.enum(effects)]);

const notStarted = z.tuple([z.literal('N')], jsonSchema);
const completed = z.tuple([z.literal('C'), jsonSchema], jsonSchema);
const failed = z.tuple([z.literal('F'), fault], jsonSchema);
const skipped = z.tuple([z.literal('S')], jsonSchema);
/** The last: since when it was held before. Left out, or null before a tail, where it was not. */
const heldSince = z.int().nullable().optional();
const running = z
  .tuple([z.literal('R'), z.int(), z.int(), heldSince], jsonSchema)
  .refine((stored) => stored.length !== 4 || stored[3] !== null);
/** The last: the queue in which it waits; left out, or null before a tail, where there is none. */
const held = z
  .tuple(
    [z.literal('H'), gate, z.int(), z.int(), z.unknown(), z.string().nullable().optional()],
    jsonSchema,
  )
  .refine((stored) => stored.length !== 6 || stored[5] !== null);
const undoing = z
  .tuple([z.literal('U'), z.int(), z.int(), z.unknown(), heldSince], jsonSchema)
  .refine((stored) => stored.length !== 5 || stored[4] !== null);
const undone = z.tuple([z.literal('D'), z.unknown()], jsonSchema);

type StoredUndoable = z.infer<typeof notStarted | typeof completed | typeof failed>;
type StoredProgress =
  | StoredUndoable
  | z.infer<typeof skipped | typeof held | typeof running | typeof undoing | typeof undone>;

const undoables = { N: notStarted, C: completed, F: failed };
const readUndoable = taggedTuple<StoredUndoable>(undoables);
const readProgress = taggedTuple<StoredProgress>({
  ...undoables,
  S: skipped,
  H: held,
  R: running,
  U: undoing,
  D: undone,
});

const count = z.int().nonnegative();
/** The failures of performs; then those of undos, where the undo is done. */
const undoFirst = z.tuple([count, count.optional()]);

const stepsSchema = z.array(
  z
    .tuple(
      [
        z.string(),
        z.string(),
        policySchema,
        z.int(),
        z.int(),
        z.int(),
        z.int().nullable(),
        z.unknown(),
        // Left out, or null before a tail, where it was not undone first.
        undoFirst.nullable().optional(),
      ],
      jsonSchema,
    )
    .refine((stored) => stored.length !== 9 || stored[8] !== null),
);

/** @param epoch the instant of the submission, ms since the Unix epoch */
export function encodeStep(step: StepRecord, epoch: number): string {
  return JSON.stringify(
    withUndoFirst(
      [
        step.name,
        step.agent,
        encodePolicy(step.policy),
        step.attempt,
        step.failures,
        step.keyGeneration,
        step.doubtUntil === null ? null : step.doubtUntil - epoch,
        encodeProgress(step.progress, epoch),
      ],
      step,
    ),
  );
}

function withUndoFirst(known: readonly unknown[], step: StepRecord): readonly unknown[] {
  const { undoFirst: how, tail } = step;
  if (how === undefined) return tail === undefined ? known : [...known, null, ...tail];
  const { performFailures } = how;
  const stored = how.isDone ? [performFailures, how.undoFailures] : [performFailures];
  return withTail([...known, stored], step);
}

function undoFirstOf(stored: z.infer<typeof undoFirst> | null | undefined): Partial<StepRecord> {
  if (stored === null || stored === undefined) return {};
  const [performFailures, undoFailures] = stored;
  return {
    undoFirst:
      undoFailures === undefined
        ? { isDone: false, performFailures }
        : { isDone: true, performFailures, undoFailures },
  };
}

/**
 * @param epoch the instant of the submission, ms since the Unix epoch
 * @throws {Error} when no steps were written as this text
 */
export function decodeSteps(text: string, epoch: number): StepRecord[] {
  return stepsSchema
    .parse(JSON.parse(text))
    .map(
      ([
        name,
        agent,
        numbers,
        attempt,
        failures,
        keyGeneration,
        doubtUntil,
        progress,
        undone,
        ...tail
      ]) => ({
        name: stepName(name),
        agent: agentName(agent),
        policy: decodePolicy(numbers),
        attempt,
        failures,
        keyGeneration,
        doubtUntil: doubtUntil === null ? null : instantAfter(epoch, doubtUntil),
        progress: decodeProgress(readProgress(progress), epoch),
        ...undoFirstOf(undone),
        ...tailOf(tail),
      }),
    );
}

function encodeProgress(progress: StepProgress, epoch: number): readonly unknown[] {
  return withTail(encodeKnown(progress, epoch), progress);
}

function encodeKnown(progress: StepProgress, epoch: number): readonly unknown[] {
  switch (progress.state) {
    case 'NotStarted':
      return ['N'];
    case 'Completed':
      return ['C', progress.output];
    case 'Failed':
      return ['F', [progress.fault.code, progress.fault.message, progress.fault.effect]];
    case 'Skipped':
      return ['S'];
    case 'Held':
      return withQueue(
        [
          'H',
          progress.gate,
          progress.since - epoch,
          progress.until - epoch,
          encodeProgress(progress.before, epoch),
        ],
        progress,
      );
    case 'Running':
      return withHeldSince(
        ['R', progress.completeBy - epoch, progress.endBy - epoch],
        progress,
        epoch,
      );
    case 'Undoing':
      return withHeldSince(
        [
          'U',
          progress.completeBy - epoch,
          progress.endBy - epoch,
          encodeProgress(progress.before, epoch),
        ],
        progress,
        epoch,
      );
    case 'Undone':
      return ['D', encodeProgress(progress.before, epoch)];
  }
}

function withQueue(known: readonly unknown[], { queue, tail }: Held): readonly unknown[] {
  if (queue !== undefined) return [...known, queue];
  return tail === undefined ? known : [...known, null];
}

function withHeldSince(
  known: readonly unknown[],
  { heldSince: since, tail }: UnderWay,
  epoch: number,
): readonly unknown[] {
  if (since !== undefined) return [...known, since - epoch];
  return tail === undefined ? known : [...known, null];
}

const heldSinceOf = (stored: number | null | undefined, epoch: number) =>
  typeof stored === 'number' && { heldSince: instantAfter(epoch, stored) };

function decodeProgress(stored: StoredProgress, epoch: number): StepProgress {
  switch (stored[0]) {
    case 'S': {
      const [, ...tail] = stored;
      return { state: 'Skipped', ...tailOf(tail) };
    }
    case 'H': {
      const [, gate, since, until, before, queue, ...tail] = stored;
      return {
        state: 'Held',
        gate,
        since: instantAfter(epoch, since),
        until: instantAfter(epoch, until),
        before: decodeUndoable(readUndoable(before)),
        ...(typeof queue === 'string' && { queue }),
        ...tailOf(tail),
      };
    }
    case 'R': {
      const [, completeBy, endBy, since, ...tail] = stored;
      return {
        state: 'Running',
        ...times(epoch, completeBy, endBy),
        ...heldSinceOf(since, epoch),
        ...tailOf(tail),
      };
    }
    case 'U': {
      const [, completeBy, endBy, before, since, ...tail] = stored;
      return {
        state: 'Undoing',
        ...times(epoch, completeBy, endBy),
        before: decodeUndoable(readUndoable(before)),
        ...heldSinceOf(since, epoch),
        ...tailOf(tail),
      };
    }
    case 'D': {
      const [, before, ...tail] = stored;
      return { state: 'Undone', before: decodeUndoable(readUndoable(before)), ...tailOf(tail) };
    }
    case 'N':
    case 'C':
    case 'F':
      return decodeUndoable(stored);
  }
}

const times = (epoch: number, completeBy: number, endBy: number) => ({
  completeBy: instantAfter(epoch, completeBy),
  endBy: instantAfter(epoch, endBy),
});

function decodeUndoable(stored: StoredUndoable): Undoable {
  switch (stored[0]) {
    case 'N': {
      const [, ...tail] = stored;
      return { state: 'NotStarted', ...tailOf(tail) };
    }
    case 'C': {
      const [, output, ...tail] = stored;
      return { state: 'Completed', output, ...tailOf(tail) };
    }
    case 'F': {
      const [, fault, ...tail] = stored;
      return { state: 'Failed', fault: faultOf(fault), ...tailOf(tail) };
    }
  }
}

function faultOf([code, message, effect]: z.infer<typeof fault>): Fault {
  return { code, message, effect };
}
