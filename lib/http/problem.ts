/** Errors as RFC 9457 problem documents, each with a stable `code`. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: 'urn:reeve:problem:details-invalid' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'The fields at fault, by dotted path.' }),
  })
  .openapi('Problem');

export type Problem = z.infer<typeof problemSchema>;

const problems = {
  'json-malformed': [400, 'The body is not JSON'],
  'query-invalid': [400, 'The query cannot be understood'],
  'cursor-invalid': [400, 'The cursor is not one of this listing'],
  'header-invalid': [400, 'A header cannot be understood'],
  unauthorized: [401, 'A bearer token is needed'],
  'host-forbidden': [403, 'This host name is not served'],
  'origin-forbidden': [403, 'Requests from other sites are refused'],
  'role-insufficient': [403, 'Your role does not allow this'],
  'tenant-forbidden': [403, 'This is not for your tenant'],
  'route-unknown': [404, 'There is nothing here'],
  'order-unknown': [404, 'There is no such order'],
  'order-id-malformed': [404, 'This is not an order id'],
  'method-not-allowed': [405, 'This method is not served here'],
  'not-in-error': [409, 'Only an order in Error can be resubmitted'],
  ended: [409, 'The order has ended'],
  'already-undoing': [409, 'The order is being undone already'],
  irreversible: [409, 'The order can only go forward'],
  'key-reused': [409, 'The idempotency key belongs to another submission'],
  'record-full': [409, 'The record of the order is full'],
  changed: [412, 'The order has gone on since'],
  'body-too-large': [413, 'The body is too large'],
  'media-type-unsupported': [415, 'The body must be application/json'],
  'body-invalid': [422, 'The body does not fit'],
  'details-invalid': [422, 'The details do not fit the workflow'],
  'correction-refused': [422, 'The details cannot be corrected so'],
  'workflow-unknown': [422, 'There is no such workflow'],
  'reply-to-unknown': [422, 'There is no such response channel'],
  internal: [500, 'Reeve failed'],
  'followers-full': [503, 'Too many follow events already'],
  'store-full': [503, 'The disk of the state store is full'],
  unavailable: [503, 'The state store is not available'],
} as const;

export type ProblemCode = keyof typeof problems;

export function problem(code: ProblemCode, detail: string, errors?: Problem['errors']): Problem {
  const [status, title] = problems[code];
  return {
    type: `urn:reeve:problem:${code}`,
    title,
    status,
    detail,
    code,
    ...(errors !== undefined && { errors }),
  };
}

/** When a caller who was answered 503 may ask again, s: by then a store that was busy has answered. */
export const retryAfterSeconds = 1;

/** Of every answer of 503. */
export const retryAfterHeader = z.object({
  'retry-after': z.string().openapi({ description: 'When to ask again, in seconds.' }),
});

const problemContent = { 'application/problem+json': { schema: problemSchema } };

/** The problems a route may answer, by status, for the OpenAPI document. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      status === 503
        ? { description: 'Not now.', content: problemContent, headers: retryAfterHeader }
        : { description: 'Refused.', content: problemContent },
    ]),
  );
}

/** Thrown by a route to answer with a problem document. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(document: Problem) {
    super(document.detail);
    this.name = 'Refusal';
    this.problem = document;
  }
}

export function respondProblem(context: Context, document: Problem): Response {
  const status = problems[codeOf(document)][0];
  return context.body(JSON.stringify(document), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(status === 503 && { 'retry-after': String(retryAfterSeconds) }),
    },
  });
}

function codeOf({ code }: Problem): ProblemCode {
  const isCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);
  return isCode(code) ? code : 'internal';
}
