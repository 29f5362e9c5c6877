/** The client of Reeve's API. */
import { signal } from '@preact/signals';
import { after, serverSaid } from '#console/parts/server-clock.ts';
import type { Answer } from './answer.ts';
import { answerOf, isOfReeve, textOf } from './read-answer.ts';
import { authorization, tokenWanted } from './session-token.ts';

/** Documents kept, so that an unchanged one need not be sent again. */
const keptMax = 30;
const kept = new Map<string, { readonly tag: string; readonly text: string }>();

export async function get<Body>(path: string): Promise<Answer<Body>> {
  const known = kept.get(path);
  const headers = { ...authorization(), ...(known && { 'if-none-match': known.tag }) };
  const { response, text } = await answerInTime(path, { headers });
  if (response?.status === 304 && known !== undefined) return answerOf(200, known.text);
  const answer = answerOf<Body>(response?.status ?? 0, text);
  if (answer.kind === 'ok' && text !== null)
    keep(path, response?.headers.get('etag') ?? null, text);
  return answer;
}

function keep(path: string, tag: string | null, text: string): void {
  kept.delete(path);
  if (tag !== null) kept.set(path, { tag, text });
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax) break;
    kept.delete(oldest);
  }
}

/** @param body sent as JSON; null: no body */
export async function post<Body>(
  path: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer<Body>> {
  const { response, text } = await answerInTime(path, {
    method: 'POST',
    headers: {
      ...authorization(),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  return answerOf(response?.status ?? 0, text);
}

/** How long an answer may take, ms: longer than a gateway of AWS waits for Reeve (30 s). A lost connection may give none for many minutes. */
const answerMaxMs = 35_000;

/** `text`: null when the body did not arrive. What is late is broken off, and Reeve counts as not answering. */
async function answerInTime(path: string, init: RequestInit) {
  const late = new AbortController();
  const stop = after(answerMaxMs, () => late.abort());
  const response = await request(path, { ...init, signal: late.signal });
  const text = await textOf(response);
  stop();
  if (late.signal.aborted) isAnswering.value = false;
  return { response, text };
}

/** Whether Reeve has answered the last request, and not a gateway in its place. */
export const isAnswering = signal(true);

/** How long the body of a 503 may take, ms: a proxy may begin it and never end it. */
const bodyMaxMs = 3_000;

/** Null when there was no response, or a 503 whose body did not arrive; the caller reads a stream from the body. */
export async function request(path: string, init: RequestInit): Promise<Response | null> {
  const answered = await answeredBy(path, init);
  // What the page itself has broken off says nothing about Reeve.
  if (init.signal?.aborted === true) return answered?.response ?? null;
  isAnswering.value = answered !== null && isOfReeve(answered.response.status, answered.text);
  return answered?.response ?? null;
}

interface Answered {
  readonly response: Response;
  /** Of a 503, which may be of Reeve or of a gateway; null for any other response. */
  readonly text: string | null;
}

async function answeredBy(path: string, init: RequestInit): Promise<Answered | null> {
  try {
    // The browser's cache would hide `304 Not Modified`.
    const response = await fetch(path, { ...init, cache: 'no-store' });
    serverSaid(response.headers.get('date'));
    if (response.status === 401 && hasPresentToken(init)) tokenWanted.value = true;
    if (response.status !== 503) return { response, text: null };
    const text = await textInTime(response);
    return text === null ? null : { response: new Response(text, response), text };
  } catch {
    return null;
  }
}

/** A request may be answered after the user has given another token. */
function hasPresentToken({ headers }: RequestInit): boolean {
  return new Headers(headers).get('authorization') === (authorization().authorization ?? null);
}

/** Null when the body did not arrive, or not in {@link bodyMaxMs}: then the rest of it is refused. */
async function textInTime({ body }: Response): Promise<string | null> {
  if (body === null) return '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let isLate = false;
  const stop = after(bodyMaxMs, () => {
    isLate = true;
    void reader.cancel().catch(() => {});
  });
  let text = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      text += piece.value;
  } finally {
    stop();
  }
  return isLate ? null : text;
}
