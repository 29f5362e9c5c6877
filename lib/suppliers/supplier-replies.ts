import type { Context } from 'hono';

/**
 * Refuses a request permanently. `effect: 'none'` promises that the call changed nothing, so that the caller need not
 * undo it.
 */
export function refuse(
  c: Context,
  status: 400 | 403 | 404 | 409 | 413 | 422,
  code: string,
  message: string,
): Response {
  return c.json({ code, message, effect: 'none' }, status);
}

export function refuseService(c: Context, name: string): Response {
  return refuse(c, 404, 'unknown-service', `there is no service ${JSON.stringify(name)}`);
}

/** The body as JSON; undefined, which every schema refuses, when it is not JSON. */
export async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
