/**
 * The adapter of Hono percent-encodes the value of a header that is no ASCII. So an idempotency key that the API refuses everywhere else would
 * become another key, which it accepts.
 */

const header = 'idempotency-key';

interface HeaderEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The event, with a comma, which is refused too and is not trimmed, for each character of the key that is no ASCII. */
export function withAsciiKey<Event extends object>(event: Event): Event {
  const { headers }: HeaderEvent = event;
  const key = headers?.[header];
  if (key === undefined || /^[\x20-\x7e]*$/.test(key)) return event;
  return { ...event, headers: { ...headers, [header]: key.replaceAll(/[^\x20-\x7e]/g, ',') } };
}
