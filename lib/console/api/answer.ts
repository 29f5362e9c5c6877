/** The result of a request. */
import type { Problem } from './documents.ts';

export type Answer<Body> =
  | { readonly kind: 'ok'; readonly body: Body }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  | { readonly kind: 'unreachable' };

/**
 * True when the same request may succeed in a while, so that what it loads is asked for again: no event says that it
 * does. Not for 401, after which a sign-in loads everything, nor for 500, which Reeve logs as an error each time.
 */
export function mayPass(answer: Answer<unknown>): boolean {
  if (answer.kind !== 'refused') return answer.kind === 'unreachable';
  const { status } = answer;
  // A success that is refused is an answer of something else, such as a proxy.
  return status < 400 || [429, 502, 503, 504].includes(status);
}

/** Between a request that failed for a while and the next one, ms. */
export const failedRestMs = 2_000;
