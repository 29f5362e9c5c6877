/** Requests of the client: authenticated, and sent again while that is safe and useful. */
import { isObject } from '#core/model/json.ts';
import { hasNoEffect, retryAfterMs, spreadMs } from '#text/retry-after.ts';
import { baseOf } from './address.ts';
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
  /** For a request that shares its time with others. Default: it has the time of `retryForMs` for itself. */
  readonly tries?: Tries;
}

/** For how long something is tried. */
export interface Tries {
  /** What is left for a request, ms. */
  leftMs(): number;
  /** Waits before the next try, at least as long as the server asks to, ms; false: too little time is left. */
  again(retryAfterMs: number | null): Promise<boolean>;
}

/** The requests of one client. */
export interface Requests {
  /**
   * Sends a request until it is answered; resolves with the document of the answer. What can never be sent, such as a header with a line
   * break, is thrown as the platform throws it.
   *
   * @throws {ApiError}
   */
  readonly request: (request: ApiRequest) => Promise<unknown>;
  /** Begins the time of `retryForMs`. */
  readonly tries: (signal: AbortSignal | undefined) => Tries;
}

/** Far longer than any request takes; it ends calls to a server that never answers. */
const requestMs = 30_000;
const waits = { firstMs: 200, maxMs: 5_000 };
/** Statuses of servers that do not answer now, such as those of a load balancer, or that have not received all of the request in time. */
const passing = new Set([408, 500, 502, 503, 504]);

/** @throws {ApiError} `url-invalid`, `option-range` */
export function requests(options: RequestOptions): Requests {
  const base = baseOf(options.url);
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const { retryForMs = 30_000, token } = options;
  checkNumber('retryForMs', retryForMs, { from: 0, to: Number.POSITIVE_INFINITY });

  async function once(request: ApiRequest, ms: number): Promise<Answer> {
    const { method, headers, body, signal } = request;
    signal?.throwIfAborted();
    if (ms === 0) return { error: tooLate(base), retryAfterMs: null, isForNow: false };
    const limit = callLimit(ms, () => unanswered(base, ms), signal);
    try {
      const bearer =
        typeof token === 'function' ? await Promise.race([asked(token), limit.passed]) : token;
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

  const tries = (signal: AbortSignal | undefined) => triesFor(retryForMs, signal);
  return {
    tries,
    async request(request) {
      const { leftMs, again } = request.tries ?? tries(request.signal);
      for (;;) {
        const answer = await once(request, leftMs());
        if ('document' in answer) return answer.document;
        if (!answer.isForNow || !(await again(answer.retryAfterMs))) throw answer.error;
      }
    },
  };
}

function triesFor(retryForMs: number, signal: AbortSignal | undefined): Tries {
  const endsAt = performance.now() + retryForMs;
  let tries = 0;
  return {
    leftMs: () =>
      retryForMs === 0 ? requestMs : Math.min(requestMs, Math.max(0, endsAt - performance.now())),
    async again(retryAfterMs) {
      const waitMs = jittered(retryAfterMs, tries, endsAt - performance.now());
      tries += 1;
      if (waitMs === null) return false;
      await pause(waitMs, signal);
      // Timers may be late, so the time is looked at after the wait as well.
      return performance.now() < endsAt;
    },
  };
}

/** @throws {ApiError} `unreachable` */
async function asked(token: () => string | Promise<string>): Promise<string> {
  try {
    return await token();
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(`The function \`token\` failed, so nothing was sent: ${said}`, {
      ...{ code: 'unreachable', status: null, cause },
    });
  }
}

const unreachable = (base: string, cause: unknown) =>
  new ApiError(`Reeve cannot be reached at ${base}.`, {
    ...{ code: 'unreachable', status: null, cause },
  });

const unanswered = (base: string, ms: number) =>
  new ApiError(`There was no answer from ${base} within ${Math.round(ms)} ms.`, {
    ...{ code: 'unreachable', status: null },
  });

/** For a part of a request whose other parts took all of its time. */
const tooLate = (base: string) =>
  new ApiError(`The time of retryForMs had passed before it could be sent to ${base}.`, {
    ...{ code: 'unreachable', status: null },
  });

type Answer =
  | { readonly document: unknown }
  | {
      readonly error: ApiError;
      readonly retryAfterMs: number | null;
      /** Whether the same request may succeed later. */
      readonly isForNow: boolean;
    };

function isForNow({ isRepeatable }: ApiRequest, { status, code }: ApiError): boolean {
  if (hasNoEffect({ status, code })) return true;
  return isRepeatable && status !== null && passing.has(status);
}

/** Not earlier than the server says, and spread. At most the time that is left; null: too little is left. */
function jittered(leastMs: number | null, tries: number, leftMs: number): number | null {
  const fromMs = leastMs ?? 0;
  if (fromMs >= leftMs) return null;
  return fromMs + Math.min(spreadMs(fromMs, tries, waits), leftMs - fromMs) * Math.random();
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
  const message = `${base} answered ${answered}, and not as Reeve does: ${causeOf(status)}`;
  return new ApiError(message, { code: 'answer-unknown', status: isHidden ? null : status });
}

/** A gateway before Reeve, such as that of AWS, answers some requests itself. */
function causeOf(status: number): string {
  if (status === 401 || status === 403) {
    return 'it may be a gateway before Reeve. Are the credentials valid, and do they allow this?';
  }
  return status === 429 || passing.has(status)
    ? 'it may be a gateway before Reeve that has no answer for now.'
    : 'is it the right address?';
}

/** The error that a problem document describes; null: it is none, also where it has a `code` alone, as the answers of some gateways. */
export function problemError(status: number, document: unknown): ApiError | null {
  if (!isObject(document)) return null;
  const { code, title, detail, errors } = document;
  if (typeof code !== 'string' || typeof title !== 'string') return null;
  const message = typeof detail === 'string' ? `${title}: ${detail}` : title;
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
