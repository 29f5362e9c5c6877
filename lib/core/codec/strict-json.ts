/**
 * JSON from outside, with the restrictions of RFC 7493 (I-JSON): valid UTF-8, no lone surrogates, and no duplicate names
 * in an object. `JSON.parse` accepts the last two, and a decoder replaces invalid UTF-8: the stored document would then
 * differ from the one that was sent.
 */
import { cutText } from './cut-text.ts';

/** The parsed document, or why it is refused. */
export type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly fault: JsonFault };

/** The reason for a refusal. */
export interface JsonFault {
  /** Dotted path into the document; null when the text cannot be parsed. */
  readonly field: string | null;
  /** The end of a sentence that begins with the field or the document. */
  readonly message: string;
}

/** One for all, because it costs as much as the decoding of a small order. It keeps nothing from one call to the next. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of UTF-8 bytes, without a byte order mark; null when they are not valid UTF-8. */
export function utf8Text(bytes: ArrayBuffer | Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Parses JSON under all restrictions. */
export function strictJson(source: string | ArrayBuffer | Uint8Array): StrictJson {
  const text = typeof source === 'string' ? source : utf8Text(source);
  if (text === null) return { kind: 'refused', fault: notUtf8 };
  const parsed = lenientJson(text);
  if (parsed.kind === 'refused') return parsed;
  const fault = textFault(text);
  return fault === null ? parsed : { kind: 'refused', fault };
}

/** Parses JSON without the restrictions: for messages of Reeve itself and of agents. */
export function lenientJson(text: string): StrictJson {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'refused', fault: { field: null, message: 'is not valid JSON' } };
  }
}

/** The fault of bytes that are not UTF-8. */
const notUtf8: JsonFault = { field: null, message: 'is not valid UTF-8' };

/** The fault as the end of a sentence that begins with the document. */
export function faultText({ field, message }: JsonFault): string {
  return field === null ? message : `is invalid: \`${field}\` ${message}`;
}

/** Strings and punctuation. Numbers and literals need no check. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or an array around the current token. */
interface Open {
  /** The names so far; null for an array. */
  readonly names: Set<string> | null;
  /** The current name or index. */
  at: string | number;
  /** Whether the next string is a name. */
  isNameNext: boolean;
}

/** For text that `JSON.parse` accepts. Not recursive, because deep nesting would exhaust the stack. */
function textFault(text: string): JsonFault | null {
  const open: Open[] = [];
  for (const [part] of text.matchAll(token)) {
    const inner = open.at(-1);
    switch (part) {
      case '{':
        open.push({ names: new Set(), at: '', isNameNext: true });
        break;
      case '[':
        open.push({ names: null, at: 0, isNameNext: false });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (inner === undefined) break;
        if (typeof inner.at === 'number') inner.at += 1;
        else inner.isNameNext = true;
        break;
      case ':':
        break;
      default: {
        const fault = stringFault(part, inner);
        if (fault !== null) return { field: pathOf(open), message: fault };
      }
    }
  }
  return null;
}

/** Completes a sentence that begins with the field. */
export const loneSurrogate = 'has a lone surrogate, which is not valid Unicode';
/** Of the name of a field. */
export const loneSurrogateInName = 'has a lone surrogate in its name, which is not valid Unicode';

function stringFault(part: string, inner: Open | undefined): string | null {
  const value: string = part.includes('\\') ? JSON.parse(part) : part.slice(1, -1);
  const isName = inner?.isNameNext === true;
  if (isName) {
    inner.at = value;
    inner.isNameNext = false;
  }
  if (!value.isWellFormed()) {
    return isName ? loneSurrogateInName : loneSurrogate;
  }
  if (!isName) return null;
  if (inner.names?.has(value) === true) return 'occurs more than once';
  inner.names?.add(value);
  return null;
}

/** Limits the message: names in the document can be as long as the document. */
const pathLengthMax = 200;

function pathOf(open: readonly Open[]): string | null {
  const path = open.map(({ at }) => (at === '' ? '""' : String(at))).join('.');
  return path === '' ? null : cutText(path.toWellFormed(), pathLengthMax);
}
