/** Sizes of texts and JSON documents in UTF-8. */
import { isObject, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { sendableJson } from './sendable-text.ts';

const encoder = new TextEncoder();
/** The largest UTF-8 encoding of one UTF-16 code unit. */
const utf8BytesMax = 3;

/** The size of the text in UTF-8. */
export function textBytes(text: string): number {
  return encoder.encode(text).length;
}

/** Whether the text has at most `bytesMax` bytes in UTF-8. Only long texts are encoded for this. */
export function isTextWithin(text: string, bytesMax: number): boolean {
  return text.length * utf8BytesMax <= bytesMax || textBytes(text) <= bytesMax;
}

/** The size of the value in a message, which is never smaller than in a record. */
export function jsonBytes(value: JsonValue): number {
  return textBytes(sendableJson(JSON.stringify(value)));
}

/**
 * An upper bound of the size, which assumes the longest encoding of every character and is therefore
 * cheap. It stops once the bound exceeds `enough`. It is infinite for a value that nests deeper than `jsonDepthMax` levels, such as a
 * cycle: recursion over thousands of levels exhausts the stack.
 */
export function jsonBytesAtMost(value: unknown, enough: number): number {
  return bytesAtMost(value, enough, limits.jsonDepthMax);
}

function bytesAtMost(value: unknown, enough: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      return quotedBytesAtMost(value);
    case 'object':
      if (value === null) return 4;
      return depth === 0 ? Number.POSITIVE_INFINITY : insideBytesAtMost(value, enough, depth - 1);
    default:
      return numberBytesMax;
  }
}

/** The longest number that `JSON.stringify` writes, such as -1.2345678901234567e-300. */
const numberBytesMax = 25;
/** The longest UTF-16 code unit in JSON, an escape such as \u001f. */
const unitBytesMax = 6;

/** An upper bound of the size of the text as a JSON string. */
export function quotedBytesAtMost(text: string): number {
  return 2 + unitBytesMax * text.length;
}

function insideBytesAtMost(value: object, enough: number, depth: number): number {
  let bytes = 2;
  if (enough < bytes) return bytes;
  if (isObject(value)) {
    for (const key in value) {
      bytes += 2 + quotedBytesAtMost(key) + bytesAtMost(value[key], enough - bytes, depth);
      if (bytes > enough) break;
    }
  } else if (Array.isArray(value)) {
    for (const item of value) {
      bytes += 1 + bytesAtMost(item, enough - bytes, depth);
      if (bytes > enough) break;
    }
  }
  return bytes;
}

/** Whether the value has at most `bytesMax` bytes as JSON. */
export function isJsonWithin(value: JsonValue, bytesMax: number): boolean {
  return jsonBytesAtMost(value, bytesMax) <= bytesMax || jsonBytes(value) <= bytesMax;
}

/**
 * Whether the value is JSON as it is, of at most so many bytes, and certainly so: its text would have the same content, without the
 * properties that are undefined. False only says that its text must be made to know.
 */
export function isPlainJsonWithin(value: unknown, bytesMax: number): boolean {
  return plainBytesAtMost(value, bytesMax, limits.jsonDepthMax) <= bytesMax;
}

/** Infinite for what is not plain, or deeper than this. */
function plainBytesAtMost(value: unknown, enough: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      return quotedBytesAtMost(value);
    case 'number':
      // The text of -0 is that of 0.
      return Number.isFinite(value) && !Object.is(value, -0)
        ? numberBytesMax
        : Number.POSITIVE_INFINITY;
    case 'boolean':
      return numberBytesMax;
    case 'object':
      if (value === null) return numberBytesMax;
      return depth === 0 ? Number.POSITIVE_INFINITY : plainInsideAtMost(value, enough, depth - 1);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function plainInsideAtMost(value: object, enough: number, depth: number): number {
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += 1 + plainBytesAtMost(item, enough - bytes, depth);
      if (bytes > enough) break;
    }
    return bytes;
  }
  // An object of a class may have a text of its own.
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) {
    return Number.POSITIVE_INFINITY;
  }
  for (const key in value) {
    const inner = value[key];
    // It counts as absent.
    if (inner === undefined) continue;
    bytes += 2 + quotedBytesAtMost(key) + plainBytesAtMost(inner, enough - bytes, depth);
    if (bytes > enough) break;
  }
  return bytes;
}
