/** The access log: requests that change something, and requests that the API refused, with their principals. */
import type { MiddlewareHandler } from 'hono';
import type { Access } from '#http/api-ports.ts';
import type { AccessEnv } from './access.ts';

/** Longer than any path that is served; longer paths are cut. */
const pathLengthMax = 200;

export function accessLog(write: (access: Access) => void): MiddlewareHandler<AccessEnv> {
  return async (context, next) => {
    await next();
    const { method, path } = context.req;
    const { status } = context.res;
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && status !== 401 && status !== 403) return;
    // Absent when the request was refused before its principal was identified.
    const principal = context.get('principal') ?? null;
    write({
      method,
      path: path.slice(0, pathLengthMax),
      principal: principal?.name ?? null,
      tenant: principal?.tenant ?? null,
      status,
      submitted: context.get('submitted') ?? null,
    });
  };
}
