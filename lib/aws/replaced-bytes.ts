/**
 * API Gateway hands a function the body of type application/json as text. Bytes that are not UTF-8 are U+FFFD by then, as if
 * the caller had sent that; only the length of what was sent shows it.
 */

interface BodyEvent {
  readonly body?: string | null | undefined;
  readonly isBase64Encoded: boolean;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A byte that UTF-8 does not have: the API refuses it as what it is. */
const notUtf8 = Buffer.from([0xff]).toString('base64');

/** The event, with a body that is not UTF-8 where the caller sent none that was. */
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
