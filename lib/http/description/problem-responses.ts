/** The problems of the routes, as the OpenAPI document describes them. */
import { z } from '@hono/zod-openapi';
import { isTemporary } from '#http/problem.ts';
import { problemSchema } from '#http/problem-schema.ts';

/** The header of every 429 and 503. */
export const retryAfterHeader = z.object({
  'retry-after': z
    .string()
    .openapi({ description: 'The time until the next request, in seconds.' }),
});

export const problemContent = { 'application/problem+json': { schema: problemSchema } };

const described: Readonly<Record<number, string>> = {
  400: 'The request cannot be understood.',
  401: 'No token, or an unknown one.',
  403: 'Not allowed.',
  404: 'There is no such order or agent.',
  405: 'The path does not have this method.',
  408: 'The request was not complete in time.',
  409: 'The order, the key or the agent is in a state that does not allow this.',
  412: 'The order has changed since the revision of If-Match.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8 without a content coding.',
  417: 'The expectation of the header Expect is not supported.',
  422: 'The body is JSON, but does not match the schema of this operation.',
  429: 'The tenant has more than its share of the orders that wait, or too many orders of one singleton key have not ended. Nothing was stored.',
  431: 'The request headers are too large.',
  500: 'Internal error.',
  503: 'Not available at present.',
};

/** Statuses that any route may return: refusals before the route is reached, such as 403 for a page of another site, and defects. */
const ofAnyRequest = [400, 403, 405, 408, 417, 431, 500] as const;

/** The problems that a route may return, by status, for the OpenAPI document. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  const all = [...new Set([...ofAnyRequest, ...statuses])].toSorted((a, b) => a - b);
  return Object.fromEntries(
    all.map((status) => [
      status,
      {
        description: described[status] ?? 'Refused.',
        content: problemContent,
        ...(isTemporary(status) && { headers: retryAfterHeader }),
      },
    ]),
  );
}
