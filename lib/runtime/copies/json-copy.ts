/**
 * Copies of JSON documents. Between the processes of functions a document travels as text, so that its sender and its receivers share
 * nothing. In one process it is copied where it passes between the code of an application and Reeve.
 *
 * Written by hand, because a trip through text takes some five times as long, `structuredClone` still longer, and each step has some copies.
 */
import { isPlain, isRecord } from '#core/codec/json-schema.ts';
import { limits } from '#core/model/limits.ts';

/**
 * A copy of what code of an application gives to Reeve: the document that its text would have, without properties that are undefined, and with
 * plain objects in place of those of a class. What is no JSON stays as it is, for the check that follows.
 */
export function jsonCopy<Value>(value: Value): Value;
/** The implementation: a part of a document may be of any kind. */
export function jsonCopy(value: unknown): unknown {
  return copied(value, depthMax, { parts: limits.requestBytesMax, isText: true });
}

/**
 * A copy of what Reeve gives to code of an application. Lists and plain objects are copied; what the schema of an agent has made beside
 * them stays as it is.
 */
export function plainCopy<Value>(value: Value): Value;
/** The implementation: a part of a document may be of any kind. */
export function plainCopy(value: unknown): unknown {
  return copied(value, depthMax, { parts: limits.requestBytesMax, isText: false });
}

/** Documents may be inside a few objects of Reeve. */
const depthMax: number = limits.jsonDepthMax + 8;

interface Rest {
  /** More lists and objects than at first have more bytes than any document: lists that share one value may have more than any memory. */
  parts: number;
  /** As the text of the value. */
  readonly isText: boolean;
}

function copied(value: unknown, depth: number, rest: Rest): unknown {
  if (typeof value !== 'object' || value === null) return leafOf(value, rest);
  rest.parts -= 1;
  if (depth === 0 || rest.parts < 0) return value;
  if (Array.isArray(value)) return copiedList(value, depth - 1, rest);
  if (isPlain(value)) return copiedObject(value, depth - 1, rest);
  return rest.isText && isRecord(value) ? copiedObject({ ...value }, depth - 1, rest) : value;
}

/** The text of -0 is that of 0. */
const leafOf = (value: unknown, { isText }: Rest) => (value === 0 && isText ? 0 : value);

function copiedList(list: readonly unknown[], depth: number, rest: Rest): unknown[] {
  const copy: unknown[] = [];
  for (const item of list) copy.push(copied(item, depth, rest));
  return copy;
}

function copiedObject(
  value: { readonly [key: string]: unknown },
  depth: number,
  rest: Rest,
): unknown {
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const given = value[key];
    // Most are neither lists nor objects, and a call takes as long as the rest.
    const inner = typeof given === 'object' ? copied(given, depth, rest) : leafOf(given, rest);
    if (inner === undefined && rest.isText) continue;
    if (key === '__proto__') putOwn(copy, key, inner);
    else copy[key] = inner;
  }
  return copy;
}

/** An assignment would set the prototype. */
function putOwn(copy: object, key: string, value: unknown): void {
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
}
