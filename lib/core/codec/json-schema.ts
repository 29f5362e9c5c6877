/**
 * Schemas of arbitrary JSON. They refuse values that `JSON.stringify` changes or drops. They do not copy
 * the value, because a copy would lose a key such as `__proto__`.
 */
import * as z from 'zod';
import { isObject, isShallow, type JsonValue, pathTo } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';

type JsonSchema = z.ZodType<JsonValue, JsonValue>;

const present = z.custom<JsonValue>((value) => value !== undefined, 'is missing');

/** JSON that nests at most `jsonDepthMax` levels and survives a round trip through its text. */
export const jsonSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value);
  if (fault !== null) context.addIssue(fault);
});

/**
 * JSON from a submitter. It refuses a key `__proto__`, which schemas of objects drop silently, even strict
 * ones after another schema has made a copy.
 */
export const submittedSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value) ?? protoFault(value);
  if (fault !== null) context.addIssue(fault);
});

function faultOf(value: JsonValue) {
  if (isSound(value, limits.jsonDepthMax)) return null;
  if (!isShallow(value, limits.jsonDepthMax)) {
    return issue([], `nests deeper than ${limits.jsonDepthMax} levels`);
  }
  const path = pathTo(value, (inner) => typeof inner === 'number' && !Number.isFinite(inner));
  return path === null ? null : issue(path, 'is not a finite number');
}

/** Whether there is no fault: nearly always, and this makes no copies of keys and values. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((inner) => isSound(inner, depth - 1));
  if (!isObject(value)) return false;
  for (const key in value) if (!isSound(value[key], depth - 1)) return false;
  return true;
}

function protoFault(value: JsonValue) {
  const path = pathTo(value, (_, key) => key === '__proto__');
  return path === null ? null : issue(path, 'is a name that cannot be stored; choose another');
}

const issue = (path: readonly string[], message: string) => ({
  code: 'custom' as const,
  path: [...path],
  message,
});
