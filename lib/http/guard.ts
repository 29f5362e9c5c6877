/**
 * Who may speak to the API. A browser on the same machine is a way in for other sites: by a name that
 * an attacker points at loopback (DNS rebinding), or by a form posted across sites. So the host name
 * must be one that is served, and a request that a page made must come from this very origin.
 */
import type { MiddlewareHandler } from 'hono';
import { timingSafeEqual } from 'hono/utils/buffer';
import { problem, respondProblem } from './problem.ts';

export interface GuardOptions {
  /** The `Host` values served; null: any, which only a token makes safe. */
  readonly hosts: ReadonlySet<string> | null;
  /** The bearer token every route but `/healthz` needs; null: none. */
  readonly token: string | null;
  /** Paths that can be read without a token: pages, which hold nothing of any order. */
  readonly pages: ReadonlySet<string>;
}

export function guard({ hosts, token, pages }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (hosts !== null && !hosts.has(host)) {
      const served = [...hosts].join(', ');
      return respondProblem(
        context,
        problem('host-forbidden', `The Host header must be one of ${served}.`),
      );
    }
    const origin = context.req.header('origin');
    if (origin !== undefined && !isSameOrigin(origin, host)) {
      return respondProblem(
        context,
        problem('origin-forbidden', 'The Origin header must be absent or name this address.'),
      );
    }
    const { method, path } = context.req;
    const open = path === '/healthz' || (isRead(method) && pages.has(path));
    if (token !== null && !open) {
      const given = context.req.header('authorization') ?? '';
      if (!(await timingSafeEqual(given, `Bearer ${token}`))) {
        context.header('www-authenticate', 'Bearer');
        return respondProblem(
          context,
          problem('unauthorized', 'Send the token of REEVE_TOKEN as Authorization: Bearer.'),
        );
      }
    }
    return next();
  };
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
