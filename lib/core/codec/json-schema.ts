/**
 * JSON as Reeve takes it: what JSON would write otherwise than it was, or not at all, is refused where
 * it comes in. Nothing is copied: a schema's copy would lose a key such as `__proto__`.
 */
import * as z from 'zod';
import { isShallow, type JsonValue, pathTo } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';

type JsonSchema = z.ZodType<JsonValue, JsonValue>;

const present = z.custom<JsonValue>((value) => value !== undefined, 'is missing');

/** Any JSON that nests no deeper than its limit and comes back from its text as it is. */
export const jsonSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value);
  if (fault !== null) context.addIssue(fault);
});

/**
 * JSON from a submitter, of which nothing may be lost without a word: schemas of objects pass over a key
 * `__proto__`, the strict ones too once another schema has made a copy.
 */
export const submittedSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value) ?? lostName(value);
  if (fault !== null) context.addIssue(fault);
});

function faultOf(value: JsonValue) {
  if (!isShallow(value, limits.jsonDepthMax)) {
    return issue([], `nests deeper than ${limits.jsonDepthMax} levels`);
  }
  const way = pathTo(value, (inner) => typeof inner === 'number' && !Number.isFinite(inner));
  return way === null ? null : issue(way, 'is not a finite number');
}

function lostName(value: JsonValue) {
  const way = pathTo(value, (_, key) => key === '__proto__');
  return way === null ? null : issue(way, 'is a name that cannot be kept; take another');
}

const issue = (path: readonly string[], message: string) => ({
  code: 'custom' as const,
  path: [...path],
  message,
});
