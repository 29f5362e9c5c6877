/**
 * Schemas of arbitrary JSON. They refuse values that `JSON.stringify` changes or drops. They do not copy
 * the value, because a copy would lose a key such as `__proto__`.
 */
import * as z from 'zod';
import { type JsonValue, pathTo } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { loneSurrogate, loneSurrogateInName } from './strict-json.ts';

type JsonSchema = z.ZodType<JsonValue, JsonValue>;

const present = z.custom<JsonValue>((value) => value !== undefined, 'is missing');

/** JSON that nests at most `jsonDepthMax` levels and survives a round trip through its text. */
export const jsonSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value, valuesMax);
  if (fault !== null) context.addIssue(fault);
});

/**
 * JSON from a submitter. It refuses a key `__proto__`, which schemas of objects drop silently, even strict
 * ones after another schema has made a copy, and a lone surrogate, as the API does.
 */
export const submittedSchema: JsonSchema = present.superRefine((value, context) => {
  const fault = faultOf(value, limits.detailsBytesMax) ?? storageFault(value);
  if (fault !== null) context.addIssue(fault);
});

/** More values than this have more bytes than any text that is read. */
const valuesMax: number = limits.batchBytesMax;

/** How many more values may be looked at: lists that share one value a few levels deep have more values than any memory. */
interface Left {
  values: number;
}

function faultOf(value: unknown, most: number) {
  if (value === undefined || isSound(value, limits.jsonDepthMax, { values: most })) return null;
  const left = { values: most };
  const found = unsound(value, limits.jsonDepthMax, left);
  if (left.values < 0) return issue([], `has more than ${most} values`);
  return found === null ? null : issue(found.path, found.message);
}

/** Whether there is no fault: nearly always, and this makes no copies of keys and values. */
function isSound(value: unknown, depth: number, left: Left): boolean {
  left.values -= 1;
  if (typeof value !== 'object' || value === null) return isSoundLeaf(value);
  if (depth === 0 || left.values < 0) return false;
  if (Array.isArray(value)) {
    // Not `every`, which passes over gaps.
    for (const inner of value) if (!isSound(inner, depth - 1, left)) return false;
    return true;
  }
  if (!isRecord(value)) return false;
  for (const key in value) {
    const inner = value[key];
    // A property without a value counts as absent, an element of a list does not.
    if (inner !== undefined && !isSound(inner, depth - 1, left)) return false;
  }
  return true;
}

function isSoundLeaf(value: unknown): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return true;
    default:
      return value === null;
  }
}

/** Whether `JSON.stringify` writes the object as it is: not a map, an instant, or what has a text of its own. */
export function isRecord(value: object): value is { readonly [key: string]: unknown } {
  if (isPlain(value)) return true;
  // Objects of another realm, and those of a class, whose content JSON keeps.
  const isKept = Object.prototype.toString.call(value) === '[object Object]';
  return isKept && typeof Reflect.get(value, 'toJSON') !== 'function';
}

interface Unsound {
  readonly path: readonly string[];
  readonly message: string;
}

/** The first fault, which has no path when the value nests too deeply. */
function unsound(value: unknown, depth: number, left: Left): Unsound | null {
  left.values -= 1;
  if (left.values < 0) return noJson;
  if (typeof value !== 'object' || value === null) {
    if (isSoundLeaf(value)) return null;
    return typeof value === 'number' ? { path: [], message: 'is not a finite number' } : noJson;
  }
  if (depth === 0) return tooDeep;
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return noJson;
  // Not the entries of a list, which leave out its gaps.
  const entries = isList ? [...value].entries() : Object.entries(value);
  for (const [key, inner] of entries) {
    if (inner === undefined && !isList) continue;
    const found = unsound(inner, depth - 1, left);
    if (found !== null)
      return found === tooDeep ? found : { ...found, path: [String(key), ...found.path] };
  }
  return null;
}

const noJson: Unsound = {
  path: [],
  message: 'must be JSON: text, a number, a boolean, null, a list or a plain object',
};
const tooDeep: Unsound = { path: [], message: `nests deeper than ${limits.jsonDepthMax} levels` };

/** What would be read in another form than it was submitted in, or what the API refuses. */
function storageFault(value: JsonValue) {
  const found: { message: string | null } = { message: null };
  const path = pathTo(value, (inner, key) => {
    found.message = storageFaultOf(inner, key);
    return found.message !== null;
  });
  return path === null || found.message === null ? null : issue(path, found.message);
}

function storageFaultOf(value: unknown, name: string): string | null {
  if (name === '__proto__') return 'is a name that cannot be stored; choose another';
  if (!name.isWellFormed()) return loneSurrogateInName;
  if (typeof value === 'string') return value.isWellFormed() ? null : loneSurrogate;
  return isOfClass(value) ? noJson.message : null;
}

function isOfClass(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !isPlain(value);
}

/** Whether it is an object of no class: a literal, or one without a prototype. */
export function isPlain(value: object): value is { readonly [key: string]: unknown } {
  const made: unknown = Object.getPrototypeOf(value);
  return made === Object.prototype || made === null;
}

const issue = (path: readonly string[], message: string) => ({
  code: 'custom' as const,
  path: [...path],
  message,
});
