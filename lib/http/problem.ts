/** Errors as RFC 9457 problem documents, each with a stable `code`. */
import type { Context } from 'hono';
import { errorsText, type FieldError } from '#core/codec/field-errors.ts';
import type { Problem } from './problem-schema.ts';

/** Each problem code with its HTTP status and its title. */
export const problems = {
  'request-malformed': [400, 'Malformed HTTP request'],
  'json-malformed': [400, 'The body is not valid JSON'],
  'query-invalid': [400, 'Invalid query parameters'],
  'cursor-invalid': [400, 'Invalid cursor'],
  'header-invalid': [400, 'Invalid header'],
  unauthorized: [401, 'A bearer token is required'],
  'host-forbidden': [403, 'This host name is not allowed'],
  'origin-forbidden': [403, 'Requests from other sites are refused'],
  'role-insufficient': [403, 'Your role does not allow this'],
  'tenant-forbidden': [403, 'Not allowed for your tenant'],
  'route-unknown': [404, 'Unknown route'],
  'order-unknown': [404, 'Unknown order'],
  'order-id-malformed': [404, 'Malformed order id'],
  'agent-unknown': [404, 'Unknown agent'],
  'limit-unknown': [404, 'Unknown limit'],
  'method-not-allowed': [405, 'Method not allowed'],
  'request-timeout': [408, 'The request was not complete in time'],
  'not-in-error': [409, 'Only an order in Error can be resubmitted'],
  ended: [409, 'The order has already ended'],
  'already-undoing': [409, 'The order is already being undone'],
  irreversible: [409, 'The order can no longer be undone'],
  'same-priority': [409, 'The order already has this priority'],
  'key-reused': [409, 'The idempotency key was used for another submission'],
  'record-full': [409, 'The record of the order is full'],
  'limit-invalid': [422, 'The limit cannot have this amount'],
  'agent-not-in-pool': [409, 'The agent is not a member of a pool'],
  changed: [412, 'The order has changed since'],
  'body-too-large': [413, 'The body is too large'],
  'media-type-unsupported': [415, 'Unsupported media type'],
  'expectation-failed': [417, 'Unsupported Expect header'],
  'body-invalid': [422, 'Invalid request body'],
  'details-invalid': [422, 'The details do not match the schema of the workflow'],
  'correction-refused': [422, 'Invalid corrections'],
  'singleton-key-failed': [422, 'The workflow has no singleton key for the details'],
  'workflow-unknown': [422, 'Unknown workflow'],
  'reply-to-unknown': [422, 'Unknown response channel'],
  'singleton-full': [429, 'Too many orders of the same singleton key'],
  'tenant-over-share': [429, 'The tenant has more than its share of the orders that wait'],
  'headers-too-large': [431, 'The request headers are too large'],
  internal: [500, 'Internal error'],
  // No 503: a repetition meets the same damage, until an operator has dealt with it.
  'store-damaged': [500, 'Stored data are damaged'],
  // On AWS until the functions are replaced; a repetition meets a newer one then.
  'data-newer': [503, 'A newer release wrote the data'],
  'followers-full': [503, 'Too many event streams'],
  overloaded: [503, 'Too many orders wait'],
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

/** A problem with field errors; the detail names each field too. @param errors within the limits of a list, as `limitedErrors` returns them */
export function fieldProblem(code: ProblemCode, errors: readonly FieldError[]): Problem {
  return problem(code, `${errorsText(errors)}.`, [...errors]);
}

/** The `Retry-After` of a 503 that knows no better, s: a busy store usually recovers by then. */
export const retryAfterSeconds = 1;

/** Whether a response of this status has the header `Retry-After`. */
export const isTemporary = (status: number) => status === 429 || status === 503;

/** Thrown by a route; the response is its problem document. */
export class Refusal extends Error {
  readonly problem: Problem;
  /** The `Retry-After` of a 429 or 503, s. */
  readonly retryAfterSeconds: number;

  constructor(document: Problem, retryAfter = retryAfterSeconds) {
    super(document.detail);
    this.name = 'Refusal';
    this.problem = document;
    this.retryAfterSeconds = retryAfter;
  }
}

export function respondProblem(
  context: Context,
  document: Problem,
  retryAfter = retryAfterSeconds,
): Response {
  const status = problems[codeOf(document)][0];
  return context.body(JSON.stringify(document), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(isTemporary(status) && { 'retry-after': String(retryAfter) }),
    },
  });
}

function codeOf({ code }: Problem): ProblemCode {
  const isCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);
  return isCode(code) ? code : 'internal';
}
