/**
 * Texts that a queue accepts. SQS refuses messages with characters outside XML 1.0, so that retries would
 * fail forever.
 */

const unsendable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Escapes the characters that a queue refuses and `JSON.stringify` does not escape. */
export function sendableJson(json: string): string {
  return json.replace(
    unsendable,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The first `lengthMax` characters of a text for operators, with U+FFFD for characters that cannot be sent. */
export function sendableText(text: string, lengthMax: number): string {
  return Array.from(text).slice(0, lengthMax).join('').replace(unsendable, '\uFFFD');
}
