/** How many bytes a document takes as JSON. */
import type { JsonValue } from '#core/model/json.ts';
import { sendableJson } from './sendable-text.ts';

const encoder = new TextEncoder();
/** In UTF-8, of one UTF-16 unit. */
const utf8BytesMax = 3;

/** In UTF-8. */
export function textBytes(text: string): number {
  return encoder.encode(text).length;
}

/** Whether it has at most so many bytes in UTF-8. Short texts, nearly all, are not encoded for it. */
export function isTextWithin(text: string, bytesMax: number): boolean {
  return text.length * utf8BytesMax <= bytesMax || textBytes(text) <= bytesMax;
}

/** As a message carries it, which is never shorter than as a record holds it. */
export function jsonBytes(value: JsonValue): number {
  return textBytes(sendableJson(JSON.stringify(value)));
}

/**
 * At most so many bytes, and not more than it takes to say that `enough` is passed: cheap, because it
 * takes every character for the longest there is. A cycle ends as well.
 */
export function jsonBytesAtMost(value: unknown, enough: number): number {
  switch (typeof value) {
    case 'string':
      return quotedBytesAtMost(value);
    case 'object':
      return value === null ? 4 : insideBytesAtMost(value, enough);
    default:
      return numberBytesMax;
  }
}

/** A number as `JSON.stringify` writes it, as in -1.2345678901234567e-300. */
const numberBytesMax = 25;
/** A UTF-16 unit in JSON, in the worst case escaped as in \u001f. */
const unitBytesMax = 6;

/** A text between its quotation marks. */
export function quotedBytesAtMost(text: string): number {
  return 2 + unitBytesMax * text.length;
}

function insideBytesAtMost(value: object, enough: number): number {
  let bytes = 2;
  if (enough < bytes) return bytes;
  const inside: Readonly<Record<string, unknown>> = { ...value };
  for (const key in inside) {
    bytes += 2 + quotedBytesAtMost(key) + jsonBytesAtMost(inside[key], enough - bytes);
    if (bytes > enough) break;
  }
  return bytes;
}

/** Whether it has at most so many bytes as JSON. */
export function isJsonWithin(value: JsonValue, bytesMax: number): boolean {
  return jsonBytesAtMost(value, bytesMax) <= bytesMax || jsonBytes(value) <= bytesMax;
}
