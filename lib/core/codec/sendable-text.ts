/**
 * Texts as a queue takes them. SQS takes the characters of XML 1.0 and refuses a message with any other,
 * and what is refused once is refused for ever.
 */

const unsendable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** The same JSON, with escapes in place of what a queue refuses: `JSON.stringify` leaves some of it. */
export function sendableJson(json: string): string {
  return json.replace(
    unsendable,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The beginning of a text that a person reads, with a mark where something cannot be sent. */
export function sendableText(text: string, lengthMax: number): string {
  return Array.from(text).slice(0, lengthMax).join('').replace(unsendable, '\uFFFD');
}
