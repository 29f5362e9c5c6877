/** Encodes the history as compact JSON: an array per entry, a letter per type, instants relative to the submission. */
import * as z from 'zod';
import type { Correction } from '#core/model/correction.ts';
import { tailOf, withTail } from '#core/model/extension.ts';
import { effects } from '#core/model/fault.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { agentGates } from '#core/model/hold.ts';
import { schedulerId, stepName } from '#core/model/ids.ts';
import { instantAfter } from '#core/model/instant.ts';
import { priorities } from '#core/model/record.ts';
import { jsonSchema } from '../json-schema.ts';
import { taggedTuple } from '../tagged-tuple.ts';
import {
  encodeHold,
  gatedOf,
  storedAgents,
  storedBegun,
  storedHolds,
  storedQueues,
  withAgents,
  withHolds,
} from './hold-codec.ts';
import { decodeSubmit, encodeSubmit, submitEntry } from './submit-entry.ts';

const at = z.int();
const definitionUnknown = z.literal([0, 1]);
const attempt = z.int().positive();
const fault = z.tuple([z.string(), z.string(), z.enum(effects)]);
const names = z.array(z.string());
const count = z.int().nonnegative();

/** An optional element is null only when another one follows, so that every entry has exactly one stored form. */
const endsWithValue = (stored: readonly unknown[]) => stored.at(-1) !== null;
/** As above, for an entry with so many elements before its holds, its agents, its queues and what began. */
const endsGated = (known: number) => (stored: readonly unknown[]) =>
  stored.length <= known || stored.length > known + 4 || endsWithValue(stored);

const claim = z
  .tuple(
    [
      z.literal(['c', 'v']),
      at,
      z.string(),
      definitionUnknown,
      storedHolds,
      storedAgents,
      storedQueues,
      storedBegun,
    ],
    jsonSchema,
  )
  .refine(endsGated(4));
const held = z
  .tuple(
    [
      z.literal('w'),
      at,
      z.string(),
      definitionUnknown,
      storedHolds,
      count,
      storedAgents,
      storedQueues,
      storedBegun,
    ],
    jsonSchema,
  )
  .refine((stored) => stored.length < 7 || stored.length > 9 || endsWithValue(stored));
const progress = z
  .tuple(
    [
      z.literal(['+', '-', 'h']),
      at,
      z.string(),
      attempt,
      definitionUnknown,
      storedHolds,
      storedAgents,
      storedQueues,
      storedBegun,
    ],
    jsonSchema,
  )
  .refine(endsGated(5));
const failure = z
  .tuple(
    [
      z.literal(['f', 'g']),
      at,
      z.string(),
      attempt,
      definitionUnknown,
      fault,
      storedHolds,
      storedAgents,
      storedQueues,
      storedBegun,
    ],
    jsonSchema,
  )
  .refine(endsGated(6));
const deferral = z
  .tuple(
    [
      z.literal('d'),
      at,
      z.string(),
      attempt,
      definitionUnknown,
      z.enum(agentGates),
      count,
      storedHolds,
      storedAgents,
      storedQueues,
      storedBegun,
    ],
    jsonSchema,
  )
  .refine(endsGated(7));
const expired = z
  .tuple([z.literal('e'), at, names, count, z.literal(1).nullable().optional()], jsonSchema)
  .refine((stored) => stored.length !== 5 || endsWithValue(stored));
const interrupted = z.tuple([z.literal(['r', 'o']), at, names, count, at], jsonSchema);
const correction = z.tuple([z.string(), jsonSchema]);
const resubmit = z
  .tuple(
    [z.literal('R'), at, z.string(), z.array(correction).min(1).nullable().optional()],
    jsonSchema,
  )
  .refine((stored) => stored.length !== 4 || endsWithValue(stored));
const cancel = z.tuple([z.literal('X'), at, z.string()], jsonSchema);
const priority = z.enum(priorities);
const reprioritise = z.tuple([z.literal('P'), at, z.string(), priority, priority], jsonSchema);
const shortened = z.tuple([z.literal('k'), at, count, count], jsonSchema);
/** An entry of a newer release. */
const unknown = z.tuple([z.string(), at], jsonSchema);

type StoredEntry = z.infer<
  | typeof submitEntry
  | typeof claim
  | typeof held
  | typeof progress
  | typeof failure
  | typeof deferral
  | typeof expired
  | typeof interrupted
  | typeof resubmit
  | typeof cancel
  | typeof reprioritise
  | typeof shortened
>;

const forms: Readonly<Record<string, z.ZodType<StoredEntry>>> = {
  s: submitEntry,
  c: claim,
  v: claim,
  w: held,
  '+': progress,
  '-': progress,
  h: progress,
  f: failure,
  g: failure,
  d: deferral,
  e: expired,
  r: interrupted,
  o: interrupted,
  R: resubmit,
  X: cancel,
  P: reprioritise,
  k: shortened,
};
const readKnown = taggedTuple<StoredEntry>(forms);

const tags = {
  stepSucceeded: '+',
  undoSucceeded: '-',
  heartbeat: 'h',
  stepFailed: 'f',
  undoFailed: 'g',
} as const;
const progressTypes = { '+': 'stepSucceeded', '-': 'undoSucceeded', h: 'heartbeat' } as const;

/** @param epoch the instant of the submission, ms since the Unix epoch */
export function encodeHistoryEntry(entry: HistoryEntry, epoch: number): string {
  return JSON.stringify(encodeEntry(entry, epoch));
}

const entriesSchema = z.array(z.unknown());

/**
 * @param epoch the instant of the submission, ms since the Unix epoch
 * @throws {Error} when no history was written as this text
 */
export function decodeHistory(text: string, epoch: number): HistoryEntry[] {
  return entriesSchema.parse(JSON.parse(text)).map((stored) => {
    if (isOfUnknownKind(stored)) {
      const entry = unknown.parse(stored);
      return { type: 'unknown', at: instantAfter(epoch, entry[1]), stored: entry };
    }
    const entry = readKnown(stored);
    return decodeEntry(entry, instantAfter(epoch, entry[1]), epoch);
  });
}

function isOfUnknownKind(stored: unknown): boolean {
  const tag: unknown = Array.isArray(stored) ? stored[0] : undefined;
  return typeof tag === 'string' && !Object.hasOwn(forms, tag);
}

function encodeEntry(entry: HistoryEntry, epoch: number): readonly unknown[] {
  if (entry.type === 'unknown') return entry.stored;
  if (entry.type === 'submit') return encodeSubmit(entry, epoch);
  return withTail(encodeKnown(entry, epoch), entry);
}

type KnownEntry = Exclude<HistoryEntry, { type: 'unknown' | 'submit' }>;

function encodeKnown(entry: KnownEntry, epoch: number): readonly unknown[] {
  const when = entry.at - epoch;
  switch (entry.type) {
    case 'claim':
    case 'resume': {
      const tag = entry.type === 'claim' ? 'c' : 'v';
      return withHolds([tag, when, entry.by, entry.definitionUnknown ? 1 : 0], entry, epoch);
    }
    case 'held': {
      const holds = (entry.holds ?? []).map((one) => encodeHold(one, epoch));
      const known = ['w', when, entry.by, entry.definitionUnknown ? 1 : 0, holds, entry.times];
      return withAgents(known, entry);
    }
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat': {
      const isDefinitionUnknown = entry.definitionUnknown ? 1 : 0;
      const known = [tags[entry.type], when, entry.step, entry.attempt, isDefinitionUnknown];
      return withHolds(known, entry, epoch);
    }
    case 'stepFailed':
    case 'undoFailed': {
      const { code, message, effect } = entry.fault;
      const isDefinitionUnknown = entry.definitionUnknown ? 1 : 0;
      const reason = [code, message, effect];
      const known = [
        tags[entry.type],
        when,
        entry.step,
        entry.attempt,
        isDefinitionUnknown,
        reason,
      ];
      return withHolds(known, entry, epoch);
    }
    case 'deferred': {
      const { step, attempt: number, gate, retryAfterMs } = entry;
      const isDefinitionUnknown = entry.definitionUnknown ? 1 : 0;
      const known = ['d', when, step, number, isDefinitionUnknown, gate, retryAfterMs];
      return withHolds(known, entry, epoch);
    }
    case 'expired':
      return withLate(['e', when, [...entry.steps], entry.nudges], entry);
    case 'interrupted': {
      const tag = entry.reason === 'restart' ? 'r' : 'o';
      return [tag, when, [...entry.steps], entry.nudges, entry.notBefore - epoch];
    }
    case 'resubmit': {
      const list = entry.corrections.map(({ field, value }) => [field, value]);
      if (list.length > 0) return ['R', when, entry.by, list];
      return entry.tail === undefined ? ['R', when, entry.by] : ['R', when, entry.by, null];
    }
    case 'cancel':
      return ['X', when, entry.by];
    case 'reprioritise':
      return ['P', when, entry.by, entry.priority, entry.from];
    case 'shortened':
      return ['k', when, entry.entries, entry.claims];
  }
}

const lateMark = { late: true } as const;

/** Whether the order was late is left out where it was not, and null where a tail follows. */
function withLate(
  known: readonly unknown[],
  { late, tail }: Extract<KnownEntry, { type: 'expired' }>,
): readonly unknown[] {
  if (late === true) return [...known, 1];
  return tail === undefined ? known : [...known, null];
}

function decodeEntry(stored: StoredEntry, at: number, epoch: number): HistoryEntry {
  switch (stored[0]) {
    case 's':
      return decodeSubmit(stored, epoch);
    case 'c':
    case 'v':
    case 'w':
      return decodeClaim(stored, at, epoch);
    case '+':
    case '-':
    case 'h': {
      const [tag, , step, number, isDefinitionUnknown, ...gated] = stored;
      const type = progressTypes[tag];
      const of = ofAttempt(step, number, isDefinitionUnknown);
      return { type, at, ...of, ...gatedOf(gated, epoch) };
    }
    case 'f':
    case 'g': {
      const [tag, , step, number, isDefinitionUnknown, [code, message, effect], ...gated] = stored;
      const type = tag === 'f' ? 'stepFailed' : 'undoFailed';
      const of = ofAttempt(step, number, isDefinitionUnknown);
      const failed = { code, message, effect };
      return {
        type,
        at,
        ...of,
        fault: failed,
        ...gatedOf(gated, epoch),
      };
    }
    case 'd': {
      const [, , step, number, isDefinitionUnknown, gate, retryAfterMs, ...gated] = stored;
      const of = { ...ofAttempt(step, number, isDefinitionUnknown), gate, retryAfterMs };
      return {
        type: 'deferred',
        at,
        ...of,
        ...gatedOf(gated, epoch),
      };
    }
    case 'e': {
      const [, , steps, nudges, late, ...tail] = stored;
      const found = { steps: steps.map(stepName), nudges, ...(late === 1 && lateMark) };
      return { type: 'expired', at, ...found, ...tailOf(tail) };
    }
    case 'r':
    case 'o': {
      const [tag, , steps, nudges, notBefore, ...tail] = stored;
      return {
        type: 'interrupted',
        at,
        reason: tag === 'r' ? 'restart' : 'outage',
        steps: steps.map(stepName),
        nudges,
        notBefore: instantAfter(epoch, notBefore),
        ...tailOf(tail),
      };
    }
    case 'R': {
      const [, , by, corrected, ...tail] = stored;
      return { type: 'resubmit', at, by, corrections: corrections(corrected), ...tailOf(tail) };
    }
    case 'X': {
      const [, , by, ...tail] = stored;
      return { type: 'cancel', at, by, ...tailOf(tail) };
    }
    case 'P': {
      const [, , by, wanted, from, ...tail] = stored;
      return { type: 'reprioritise', at, by, priority: wanted, from, ...tailOf(tail) };
    }
    case 'k': {
      const [, , entries, claims, ...tail] = stored;
      return { type: 'shortened', at, entries, claims, ...tailOf(tail) };
    }
  }
}

function decodeClaim(
  stored: z.infer<typeof claim | typeof held>,
  at: number,
  epoch: number,
): KnownEntry {
  const [, , by, isDefinitionUnknown] = stored;
  const common = { at, by: schedulerId(by), definitionUnknown: isDefinitionUnknown === 1 };
  if (stored[0] === 'w') {
    const [, , , , holds, times, ...gated] = stored;
    return { type: 'held', ...common, times, ...gatedOf([holds, ...gated], epoch) };
  }
  const [tag, , , , ...gated] = stored;
  const type = tag === 'c' ? 'claim' : 'resume';
  return { type, ...common, ...gatedOf(gated, epoch) };
}

function corrections(
  stored: readonly z.infer<typeof correction>[] | null | undefined,
): Correction[] {
  return (stored ?? []).map(([field, value]) => ({ field, value }));
}

function ofAttempt(step: string, number: number, isDefinitionUnknown: 0 | 1) {
  return { step: stepName(step), attempt: number, definitionUnknown: isDefinitionUnknown === 1 };
}
