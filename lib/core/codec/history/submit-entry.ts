/** The stored form of the first entry of a history: the submission. */
import * as z from 'zod';
import { tailOf, withTail } from '#core/model/extension.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { instantAfter } from '#core/model/instant.ts';
import { jsonSchema } from '../json-schema.ts';

type Submission = Extract<HistoryEntry, { type: 'submit' }>;

const at = z.int();

/**
 * Who submitted it, which orders stored before submitters were recorded do not have, and when it may be claimed, where that is
 * later. An element is null only where another one follows, so that every entry has exactly one stored form.
 */
export const submitEntry = z
  .tuple(
    [z.literal('s'), at, z.string().nullable().optional(), at.nullable().optional()],
    jsonSchema,
  )
  .refine((stored) => stored.length < 3 || stored.length > 4 || stored.at(-1) !== null);

/** @param epoch the instant of the submission, ms since the Unix epoch */
export function encodeSubmit(entry: Submission, epoch: number): readonly unknown[] {
  const { by, notBefore, tail } = entry;
  const known = ['s', entry.at - epoch];
  if (notBefore !== undefined) return withTail([...known, by, notBefore - epoch], entry);
  if (tail !== undefined) return withTail([...known, by, null], entry);
  return by === null ? known : [...known, by];
}

/** @param epoch the instant of the submission, ms since the Unix epoch */
export function decodeSubmit(stored: z.infer<typeof submitEntry>, epoch: number): Submission {
  const [, when, by = null, notBefore = null, ...tail] = stored;
  const later = notBefore === null ? {} : { notBefore: instantAfter(epoch, notBefore) };
  return { type: 'submit', at: instantAfter(epoch, when), by, ...later, ...tailOf(tail) };
}
