/**
 * JSON from outside, as RFC 7493 (I-JSON) restricts it: text in valid UTF-8, no lone surrogates, and no name twice in one
 * object. `JSON.parse` alone accepts the last two, and a decoder replaces what is not UTF-8: what was stored would then
 * differ from what was sent.
 */

export type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly fault: JsonFault };

export interface JsonFault {
  /** Dotted path into the document; null where the text cannot be parsed. */
  readonly field: string | null;
  /** What is wrong, as the end of a sentence that begins with the field or the document. */
  readonly message: string;
}

/** The text of UTF-8 bytes, without a byte order mark; null where they are not valid UTF-8. */
export function utf8Text(bytes: ArrayBuffer | Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function strictJson(source: string | ArrayBuffer | Uint8Array): StrictJson {
  const text = typeof source === 'string' ? source : utf8Text(source);
  if (text === null) return { kind: 'refused', fault: notUtf8 };
  const parsed = lenientJson(text);
  if (parsed.kind === 'refused') return parsed;
  const fault = textFault(text);
  return fault === null ? parsed : { kind: 'refused', fault };
}

/** As `JSON.parse` takes it: for messages between processes of Reeve, which it wrote itself, and of agents. */
export function lenientJson(text: string): StrictJson {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'refused', fault: { field: null, message: 'is not valid JSON' } };
  }
}

export const notUtf8: JsonFault = { field: null, message: 'is not valid UTF-8' };

/** The end of a sentence that begins with the document. */
export function faultText({ field, message }: JsonFault): string {
  return field === null ? message : `is invalid: \`${field}\` ${message}`;
}

/** Strings, and what separates them; numbers and literals cannot be at fault. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** An object or a list that is open at the present token. */
interface Open {
  /** The names so far; null for a list. */
  readonly names: Set<string> | null;
  /** The present name or place. */
  at: string | number;
  /** Whether the next string is a name. */
  isNameNext: boolean;
}

/** Of text that `JSON.parse` accepts. Not recursive, because the text may nest too deeply for the stack. */
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

function stringFault(part: string, inner: Open | undefined): string | null {
  const value: string = part.includes('\\') ? JSON.parse(part) : part.slice(1, -1);
  const isName = inner?.isNameNext === true;
  if (isName) {
    inner.at = value;
    inner.isNameNext = false;
  }
  if (!value.isWellFormed()) {
    return isName
      ? 'has a lone surrogate in its name, which is not valid Unicode'
      : 'has a lone surrogate, which is not valid Unicode';
  }
  if (!isName) return null;
  if (inner.names?.has(value) === true) return 'occurs more than once';
  inner.names?.add(value);
  return null;
}

/** Names that a caller chose may be as long as the document. */
const pathLengthMax = 200;

function pathOf(open: readonly Open[]): string | null {
  const path = open.map(({ at }) => (at === '' ? '""' : String(at))).join('.');
  return path === '' ? null : path.toWellFormed().slice(0, pathLengthMax);
}
