/**
 * Which requests reach the API. A browser on the same machine gives other sites access: through a name that
 * an attacker points at loopback (DNS rebinding), or through a form posted across sites. So the host name
 * must be a served one, and a request from a page must come from this origin, or from one that the operator
 * allowed. The caller must be known; each route says which role it needs (access.ts).
 */
import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '#core/access/principal.ts';
import { routes } from '#core/access/routes.ts';
import { type ProblemCode, problem, respondProblem } from '#http/problem.ts';
import type { AccessEnv, Identify } from './access.ts';

export interface GuardOptions {
  /** The accepted `Host` values; null: any, which is safe only with tokens. */
  readonly hosts: ReadonlySet<string> | null;
  /** Further origins whose pages may call. @default none */
  readonly origins?: ReadonlySet<string>;
  readonly identify: Identify;
  /** Paths that need no token: pages, which contain no order data. */
  readonly pages: ReadonlySet<string>;
}

export function guard({
  hosts,
  origins,
  identify,
  pages,
}: GuardOptions): MiddlewareHandler<AccessEnv> {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (hosts !== null && !hosts.has(host)) {
      const served = [...hosts].join(', ');
      return refuse(context, 'host-forbidden', `The Host header must be one of ${served}.`);
    }
    const origin = context.req.header('origin');
    if (origin !== undefined && !isSameOrigin(origin, host) && origins?.has(origin) !== true) {
      const detail =
        'The Origin header must be absent or name this address, or an origin that is allowed here.';
      return refuse(context, 'origin-forbidden', detail);
    }
    const { method, path } = context.req;
    if (forAnyone.has(path) || (isRead(method) && pages.has(path))) return next();
    const credentials = {
      authorization: context.req.header('authorization') ?? '',
      env: context.env,
    };
    const identity = await identify(credentials);
    switch (identity.kind) {
      case 'unknown':
        context.header('www-authenticate', 'Bearer');
        return refuse(
          context,
          'unauthorized',
          'Send a token in the header Authorization: Bearer TOKEN.',
        );
      case 'refused':
        return refuse(context, 'role-insufficient', identity.reason);
      case 'known':
        context.set('principal', identity.principal);
        context.set('isStillAllowed', async () => {
          const again = await identify(credentials);
          return again.kind === 'known' && isSame(again.principal, identity.principal);
        });
        return next();
    }
  };
}

/** Paths that need no token. */
const forAnyone: ReadonlySet<string> = new Set(
  Object.values(routes).flatMap(({ path, role }) => (role === 'anyone' ? [path] : [])),
);

const refuse = (context: Context, code: ProblemCode, detail: string) =>
  respondProblem(context, problem(code, detail));

const isSame = (one: Principal, other: Principal) =>
  one.name === other.name && one.role === other.role && one.tenant === other.tenant;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
