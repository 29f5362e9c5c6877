/** History as compact JSON: one array an entry, its kind one letter, instants from the submission. */
import * as z from 'zod';
import type { Correction } from './correction.ts';
import { effects } from './fault.ts';
import type { HistoryEntry } from './history.ts';
import { schedulerId, stepName } from './ids.ts';
import { instantAfter } from './instant.ts';
import { jsonSchema } from './json-schema.ts';
import { lettered } from './lettered.ts';

const at = z.int();
const blind = z.literal([0, 1]);
const attempt = z.int().positive();
const fault = z.tuple([z.string(), z.string(), z.enum(effects)]);
const names = z.array(z.string());
const count = z.int().nonnegative();

// Orders stored before their submitter was recorded have no name.
const submit = z.union([z.tuple([z.literal('s'), at]), z.tuple([z.literal('s'), at, z.string()])]);
const claim = z.tuple([z.literal('c'), at, z.string(), blind]);
const progress = z.tuple([z.literal(['+', '-', 'h']), at, z.string(), attempt, blind]);
const failure = z.tuple([z.literal(['f', 'g']), at, z.string(), attempt, blind, fault]);
const expired = z.tuple([z.literal('e'), at, names, count]);
const excused = z.tuple([z.literal(['r', 'o']), at, names, count, at]);
const correction = z.tuple([z.string(), jsonSchema]);
const resubmit = z.union([
  z.tuple([z.literal('R'), at, z.string()]),
  z.tuple([z.literal('R'), at, z.string(), z.array(correction).min(1)]),
]);
const cancel = z.tuple([z.literal('X'), at, z.string()]);
const shortened = z.tuple([z.literal('k'), at, count, count]);

type StoredEntry = z.infer<
  | typeof submit
  | typeof claim
  | typeof progress
  | typeof failure
  | typeof expired
  | typeof excused
  | typeof resubmit
  | typeof cancel
  | typeof shortened
>;

const readEntry = lettered<StoredEntry>({
  s: submit,
  c: claim,
  '+': progress,
  '-': progress,
  h: progress,
  f: failure,
  g: failure,
  e: expired,
  r: excused,
  o: excused,
  R: resubmit,
  X: cancel,
  k: shortened,
});

const letters = {
  stepSucceeded: '+',
  undoSucceeded: '-',
  heartbeat: 'h',
  stepFailed: 'f',
  undoFailed: 'g',
} as const;

export function encodeHistory(history: readonly HistoryEntry[], epoch: number): string {
  return JSON.stringify(history.map((entry) => encodeEntry(entry, epoch)));
}

/** @throws when the text is not what `encodeHistory` gives */
export function decodeHistory(text: string, epoch: number): HistoryEntry[] {
  return z
    .array(z.unknown())
    .parse(JSON.parse(text))
    .map(readEntry)
    .map((stored) => decodeEntry(stored, instantAfter(epoch, stored[1]), epoch));
}

function encodeEntry(entry: HistoryEntry, epoch: number): StoredEntry {
  const when = entry.at - epoch;
  switch (entry.type) {
    case 'submit':
      return entry.by === null ? ['s', when] : ['s', when, entry.by];
    case 'claim':
      return ['c', when, entry.by, entry.blind ? 1 : 0];
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat':
      return [letters[entry.type], when, entry.step, entry.attempt, entry.blind ? 1 : 0];
    case 'stepFailed':
    case 'undoFailed': {
      const { code, message, effect } = entry.fault;
      const isBlind = entry.blind ? 1 : 0;
      return [
        letters[entry.type],
        when,
        entry.step,
        entry.attempt,
        isBlind,
        [code, message, effect],
      ];
    }
    case 'expired':
      return ['e', when, [...entry.steps], entry.nudges];
    case 'excused': {
      const letter = entry.reason === 'restart' ? 'r' : 'o';
      return [letter, when, [...entry.steps], entry.nudges, entry.notBefore - epoch];
    }
    case 'resubmit':
      if (entry.corrections.length === 0) return ['R', when, entry.by];
      return ['R', when, entry.by, entry.corrections.map(({ field, value }) => [field, value])];
    case 'cancel':
      return ['X', when, entry.by];
    case 'shortened':
      return ['k', when, entry.entries, entry.claims];
  }
}

function decodeEntry(stored: StoredEntry, when: number, epoch: number): HistoryEntry {
  switch (stored[0]) {
    case 's':
      return { type: 'submit', at: when, by: stored[2] ?? null };
    case 'c':
      return { type: 'claim', at: when, by: schedulerId(stored[2]), blind: stored[3] === 1 };
    case '+':
      return { type: 'stepSucceeded', at: when, ...ofAttempt(stored[2], stored[3], stored[4]) };
    case '-':
      return { type: 'undoSucceeded', at: when, ...ofAttempt(stored[2], stored[3], stored[4]) };
    case 'h':
      return { type: 'heartbeat', at: when, ...ofAttempt(stored[2], stored[3], stored[4]) };
    case 'f':
    case 'g': {
      const [code, message, effect] = stored[5];
      const type = stored[0] === 'f' ? 'stepFailed' : 'undoFailed';
      const of = ofAttempt(stored[2], stored[3], stored[4]);
      return { type, at: when, ...of, fault: { code, message, effect } };
    }
    case 'e':
      return { type: 'expired', at: when, steps: stored[2].map(stepName), nudges: stored[3] };
    case 'r':
    case 'o':
      return {
        type: 'excused',
        at: when,
        reason: stored[0] === 'r' ? 'restart' : 'outage',
        steps: stored[2].map(stepName),
        nudges: stored[3],
        notBefore: instantAfter(epoch, stored[4]),
      };
    case 'R':
      return { type: 'resubmit', at: when, by: stored[2], corrections: corrections(stored[3]) };
    case 'X':
      return { type: 'cancel', at: when, by: stored[2] };
    case 'k':
      return { type: 'shortened', at: when, entries: stored[2], claims: stored[3] };
  }
}

function corrections(stored: readonly z.infer<typeof correction>[] = []): Correction[] {
  return stored.map(([field, value]) => ({ field, value }));
}

function ofAttempt(step: string, number: number, isBlind: 0 | 1) {
  return { step: stepName(step), attempt: number, blind: isBlind === 1 };
}
