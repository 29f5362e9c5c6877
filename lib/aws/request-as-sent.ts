/**
 * What API Gateway and the adapter of Hono change of a request, put right, so that a deployed API answers as an embedded one:
 *
 * 1. API Gateway decodes the path. In a URL, a decoded `?`, `#` or `\` would end or divide it: a request that was authorised for
 *    `/orders/{id}/cancel` could be one for another route. So it could by a decoded `..`, which a URL resolves, where a policy of the
 *    account allows only some paths.
 * 2. The adapter drops a header without a value: an order with an empty idempotency key would be accepted as one without a key, and a
 *    change with an empty `If-Match` made in any revision.
 * 3. The adapter answers a GET with a body by text of its own. The API reads no such body.
 */

interface SentEvent {
  readonly rawPath?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly requestContext?: { readonly http?: { readonly method: string } } | undefined;
}

/** The event, with the path, the headers and the body that the adapter is to see. */
export function withRequestAsSent<Event extends object>(event: Event): Event {
  const { rawPath, headers, requestContext }: SentEvent = event;
  const method = requestContext?.http?.method;
  const hasNoBody = method === 'GET' || method === 'HEAD';
  return {
    ...event,
    ...(rawPath !== undefined && { rawPath: encodedPath(rawPath) }),
    ...(headers !== undefined && { headers: keptHeaders(headers) }),
    ...(hasNoBody && { body: null }),
  };
}

/** What no path of a URL has literally. */
const notOfPath = /[^\w!$%&'()*+,\-./:;=@~]/gu;

/** A segment that a URL resolves and leaves out, also with its dots encoded (URL Standard, "single-dot" and "double-dot URL path segment"). */
const dotSegment = /^(\.|%2e){1,2}$/i;
/** A dot that no URL resolves: encoded, with the `%` encoded too. */
const keptDot = '%252E';

const encodedPath = (path: string) =>
  path
    .toWellFormed()
    .replaceAll(notOfPath, encodeURIComponent)
    .split('/')
    .map((part) => (dotSegment.test(part) ? part.replaceAll(/\.|%2e/gi, keptDot) : part))
    .join('/');

/** A blank is a value for the adapter, and none for the API. */
const keptHeaders = (headers: NonNullable<SentEvent['headers']>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === '' ? ' ' : value]),
  );
