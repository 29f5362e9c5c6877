/**
 * API Gateway passes a body of type application/json as text and replaces bytes that are not UTF-8 by U+FFFD.
 * Only the content length shows that the caller sent other bytes.
 */

interface BodyEvent {
  readonly body?: string | null | undefined;
  readonly isBase64Encoded: boolean;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A byte that UTF-8 does not have, so that the API rejects the body. */
const notUtf8 = Buffer.from([0xff]).toString('base64');

/** The event, with a body that is not UTF-8 when the caller's body was not. */
export function withReplacedBytes<Event extends object>(event: Event): Event {
  return isBodyEvent(event) && wasReplaced(event)
    ? { ...event, body: notUtf8, isBase64Encoded: true }
    : event;
}

const isBodyEvent = (event: object): event is BodyEvent => 'body' in event && 'headers' in event;

function wasReplaced({ body, isBase64Encoded, headers }: BodyEvent): boolean {
  const sent = headers?.['content-length'];
  if (typeof body !== 'string' || isBase64Encoded || sent === undefined) return false;
  return body.includes('\uFFFD') && Number(sent) !== Buffer.byteLength(body);
}
