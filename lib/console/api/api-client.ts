/** The client of Reeve's API. */

import { serverSaid } from '#console/parts/server-clock.ts';
import type { Answer } from './answer.ts';
import type { Problem } from './documents.ts';
import { authorization, tokenWanted } from './session-token.ts';

/** Documents kept, so that an unchanged one need not be sent again. */
const keptMax = 30;
const kept = new Map<string, { readonly tag: string; readonly text: string }>();

export async function get<Body>(path: string): Promise<Answer<Body>> {
  const known = kept.get(path);
  const headers = { ...authorization(), ...(known && { 'if-none-match': known.tag }) };
  const response = await request(path, { headers });
  if (response === null) return { kind: 'unreachable' };
  if (response.status === 304 && known !== undefined) {
    return { kind: 'ok', body: JSON.parse(known.text) };
  }
  if (!response.ok) return refused(response);
  const text = await response.text();
  const tag = response.headers.get('etag');
  kept.delete(path);
  if (tag !== null) kept.set(path, { tag, text });
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax) break;
    kept.delete(oldest);
  }
  return { kind: 'ok', body: JSON.parse(text) };
}

/** @param body sent as JSON; null: no body */
export async function post<Body>(
  path: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer<Body>> {
  const response = await request(path, {
    method: 'POST',
    headers: {
      ...authorization(),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  if (response === null) return { kind: 'unreachable' };
  return response.ok ? { kind: 'ok', body: await response.json() } : refused(response);
}

/** Null when there was no response; the caller reads a stream from the body. */
export async function request(path: string, init: RequestInit): Promise<Response | null> {
  try {
    // The browser's cache would hide `304 Not Modified`.
    const response = await fetch(path, { ...init, cache: 'no-store' });
    serverSaid(response.headers.get('date'));
    if (response.status === 401) tokenWanted.value = true;
    return response;
  } catch {
    return null;
  }
}

async function refused<Body>(response: Response): Promise<Answer<Body>> {
  const { status } = response;
  const unknown: Problem = {
    title: `Reeve answered ${status}`,
    detail: 'The log of Reeve contains the cause.',
    code: 'unknown',
  };
  const problem: Problem = await response.json().catch(() => unknown);
  return { kind: 'refused', status, problem };
}
