/** Requests of the client: authenticated, and sent again while that is safe and useful. */
import { isObject } from '#core/model/json.ts';
import { retryAfterMs } from '#text/retry-after.ts';
import { ApiError, type FieldProblem } from './api-error.ts';
import { type CallLimit, callLimit, pause } from './call-limit.ts';
import { checkNumber } from './number-check.ts';

/** Where Reeve is, and how to reach it. */
export interface RequestOptions {
  /** The address of the API, such as `https://reeve.example.com` or `http://127.0.0.1:4400`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; a function is asked before each request. Default: none. */
  readonly token?: string | (() => string | Promise<string>);
  /** Sends the requests, such as one that signs them. Default: that of the platform. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * For how long a request that gets no answer, or is refused for now, is tried, ms: it is sent again, and each time it is waited for
   * at most what is left, and at most 30 s. 0: it is sent once, and waited for up to 30 s; `Infinity`: until `signal` aborts. A
   * submission always has a key, so that repeating it creates no second order. Default 30 s.
   */
  readonly retryForMs?: number;
}

/** What each call takes. */
export interface ClientCallOptions {
  /**
   * Ends the call, which rejects with the reason of the signal. Whether a request in flight is carried out is unknown then. Default:
   * none.
   */
  readonly signal?: AbortSignal | undefined;
}

/** One request. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Whether it may be sent again although it may have been carried out. */
  readonly isRepeatable: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** What of it is sent again, although it was answered; null: nothing. Default: nothing. */
  readonly rest?: (document: unknown) => Rest | null;
}

/** The part of a request that is refused for now. */
export interface Rest {
  readonly body: object;
  /** How long the server asks to wait, ms. */
  readonly retryAfterMs: number;
}

/** Far longer than any request takes; it ends calls to a server that never answers. */
const requestMs = 30_000;
const firstWaitMs = 200;
const waitMaxMs = 5_000;
/** Statuses of servers that do not answer now, such as those of a load balancer. */
const passing = new Set([500, 502, 503, 504]);

/**
 * Sends requests; each resolves with the document of the answer. What can never be sent, such as a header with a line break, is thrown as
 * the platform throws it.
 *
 * @throws {ApiError}
 */
export function requests(options: RequestOptions): (request: ApiRequest) => Promise<unknown> {
  const base = baseOf(options.url);
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const { retryForMs = 30_000, token } = options;
  checkNumber('retryForMs', retryForMs, { from: 0, to: Number.POSITIVE_INFINITY });

  async function once(request: ApiRequest, ms: number): Promise<Answer> {
    const { method, headers, body, signal } = request;
    signal?.throwIfAborted();
    const limit = callLimit(ms, () => unanswered(base, ms), signal);
    try {
      const asked = typeof token === 'function' ? Promise.race([token(), limit.passed]) : token;
      const bearer = await asked;
      const all = new Headers({
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...headers,
      });
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return await exchange(request, { method, headers: all, ...text }, limit);
    } finally {
      limit.end();
    }
  }

  async function exchange(
    request: ApiRequest,
    init: RequestInit,
    { signal, passed }: CallLimit,
  ): Promise<Answer> {
    try {
      // The API never redirects: what follows, such as the page of a sign-in, would be taken for its answer.
      const sent = send(`${base}${request.path}`, { ...init, redirect: 'manual', signal });
      const response = await Promise.race([sent, passed]);
      const document = parsed(await Promise.race([response.text(), passed]));
      if (response.ok) return { document };
      const error = refusal(base, response, document);
      const leastMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
      return { error, retryAfterMs: leastMs, isForNow: isForNow(request, error) };
    } catch (cause) {
      request.signal?.throwIfAborted();
      const error = cause instanceof ApiError ? cause : unreachable(base, cause);
      return { error, retryAfterMs: null, isForNow: request.isRepeatable };
    }
  }

  return async (first) => {
    const endsAt = performance.now() + retryForMs;
    const leftMs = () => (retryForMs === 0 ? requestMs : endsAt - performance.now());
    let request = first;
    for (let tries = 0; ; tries += 1) {
      const answer = await once(request, Math.min(requestMs, leftMs()));
      const isAnswered = 'document' in answer;
      const rest = isAnswered ? (request.rest?.(answer.document) ?? null) : null;
      if (isAnswered && rest === null) return answer.document;
      if (!isAnswered && !answer.isForNow) throw answer.error;
      const leastMs = isAnswered ? (rest?.retryAfterMs ?? null) : answer.retryAfterMs;
      const waitMs = jittered(leastMs, tries, endsAt - performance.now());
      if (waitMs !== null) await pause(waitMs, request.signal);
      // Timers may be late, so the time is looked at after the wait as well.
      if (waitMs === null || performance.now() >= endsAt) {
        if (isAnswered) return answer.document;
        throw answer.error;
      }
      if (rest !== null) request = { ...request, body: rest.body };
    }
  };
}

const unreachable = (base: string, cause: unknown) =>
  new ApiError(`Reeve cannot be reached at ${base}.`, {
    ...{ code: 'unreachable', status: null, cause },
  });

const unanswered = (base: string, ms: number) =>
  new ApiError(`There was no answer from ${base} within ${Math.round(ms)} ms.`, {
    ...{ code: 'unreachable', status: null },
  });

/** @throws {ApiError} `url-invalid` */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
  const message = `The address ${text} must begin with http:// or https://, such as http://127.0.0.1:4400.`;
  throw new ApiError(message, { code: 'url-invalid', status: null });
}

type Answer =
  | { readonly document: unknown }
  | {
      readonly error: ApiError;
      readonly retryAfterMs: number | null;
      /** Whether the same request may succeed later. */
      readonly isForNow: boolean;
    };

/** Nothing was stored by a request that is refused because too many orders wait. */
function isForNow({ isRepeatable }: ApiRequest, { status, code }: ApiError): boolean {
  if (status === 429 || code === 'overloaded') return true;
  return isRepeatable && status !== null && passing.has(status);
}

/**
 * Not earlier than the server says, and spread over at least the usual wait, because all senders would otherwise come back at once; a
 * server that says 0 would be sent hundreds of requests per second. At most the time that is left; null: too little is left.
 */
function jittered(leastMs: number | null, tries: number, leftMs: number): number | null {
  const fromMs = leastMs ?? 0;
  if (fromMs >= leftMs) return null;
  const spreadMs = Math.max(fromMs, Math.min(waitMaxMs, firstWaitMs * 2 ** tries));
  return fromMs + Math.min(spreadMs, leftMs - fromMs) * Math.random();
}

/** `undefined` when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(base: string, { status, type }: Response, document: unknown): ApiError {
  const error = problemError(status, document);
  if (error !== null) return error;
  // Browsers hide a redirect: its status is 0.
  const isHidden = type === 'opaqueredirect';
  const isRedirect = isHidden || (status >= 300 && status < 400);
  const answered = isRedirect ? 'with a redirect' : String(status);
  const message = `${base} answered ${answered}, and not as Reeve does: is it the right address?`;
  return new ApiError(message, { code: 'answer-unknown', status: isHidden ? null : status });
}

/** The error that a problem document describes; null: it is none. */
export function problemError(status: number, document: unknown): ApiError | null {
  if (!isObject(document) || typeof document['code'] !== 'string') return null;
  const { code, title, detail, errors } = document;
  const message = [title, detail].filter((text) => typeof text === 'string').join(': ');
  return new ApiError(message, { code, status, errors: fieldsOf(errors) });
}

function fieldsOf(errors: unknown): readonly FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) =>
    isObject(error) && typeof error['field'] === 'string' && typeof error['message'] === 'string'
      ? [{ field: error['field'], message: error['message'] }]
      : [],
  );
}
