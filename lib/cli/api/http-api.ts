/** Makes one HTTP call and checks the response; every failure is a CliError that says what to do. */
import type { ZodType } from 'zod';
import { CliError } from '#cli/cli-error.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { exitCodeOfStatus, exitCodes } from '#cli/exit-code.ts';
import { refusalText } from '#cli/output/refusal-text.ts';
import type { Patience } from './retry-after.ts';

/** Far longer than any request takes; ends calls to a server that accepts and never answers. */
const requestTimeoutMs = 30_000;

export interface Call<Value> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the query, percent-encoded. */
  readonly path: string;
  /** The schema of the response. */
  readonly answer: ZodType<Value>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Whether it may be sent again although it may have been carried out. Default: with a key or a revision in its headers. */
  readonly isRepeatable?: boolean;
}

export interface Answer<Value> {
  /** The whole document, including unknown fields. */
  readonly json: unknown;
  readonly value: Value;
}

/** @throws {CliError} `refused` on 4xx; `failed` on 408, 429, 5xx, no response, or an unexpected one */
export type Api = <Value>(call: Call<Value>) => Promise<Answer<Value>>;

export interface ApiOptions {
  /** The name at the start of a sentence. */
  readonly name: string;
  /** An http or https URL; its path, if any, is prepended to that of every call. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; null: none. */
  readonly token: string | null;
  /** What the user should do when the server cannot be reached. */
  readonly unreachableHint: string;
  /** Sends requests again that were refused for now. Default: they fail. */
  readonly patience?: Patience;
}

/** @throws {CliError} `usage` when the URL is not such a URL */
export function httpApi(options: ApiOptions, fetch: CliEnvironment['fetch']): Api {
  const { name, unreachableHint, token, patience } = options;
  const base = baseOf(options.url);

  async function exchange({ method, path, headers, body }: Call<unknown>) {
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        // The API never redirects: a POST that followed would become a GET of a page.
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      const json = parsed(await response.text());
      const { ok, status, headers: given } = response;
      const location = given.get('location');
      return { ok, status, json, location, retryAfter: given.get('retry-after') };
    } catch (cause) {
      const message = `${name} cannot be reached at ${base}: ${reasonOf(cause)}\n${unreachableHint}`;
      throw new CliError(exitCodes.failed, message, { reason: 'unreachable', cause });
    }
  }

  async function answered(call: Call<unknown>) {
    const { headers = {} } = call;
    const { isRepeatable = 'if-match' in headers || 'idempotency-key' in headers } = call;
    await patience?.ready();
    for (let tries = 1; ; tries += 1) {
      const answer = await exchange(call);
      if (answer.ok) return answer;
      const isAgain = await patience?.wait({ ...answer, isRepeatable }, tries);
      if (isAgain !== true) return answer;
    }
  }

  return async (call) => {
    const { ok, status, json, location } = await answered(call);
    if (status >= 300 && status < 400) {
      const target = location === null ? null : URL.parse(location, base);
      const text = `${name} answered with a redirect${target === null ? '' : ` to ${target.origin}`}, which is not followed.
Check that ${base} is the right address: it must be that of the API, with https where it is used.`;
      throw new CliError(exitCodes.failed, text, { reason: 'answer-unknown', status });
    }
    if (!ok) {
      const text = refusalText(name, base, status, json);
      throw new CliError(exitCodeOfStatus(status), text, { answer: json, status });
    }
    const checked = call.answer.safeParse(json);
    if (checked.success) return { json, value: checked.data };
    const [issue] = checked.error.issues;
    const where =
      issue === undefined ? '' : ` (at ${issue.path.join('.') || 'the whole document'})`;
    throw new CliError(
      exitCodes.failed,
      `${name} answered ${call.method} ${call.path} in an unknown form${where}.
Check that ${base} is the right address, and that both sides have the same version.`,
      { reason: 'answer-unknown', cause: checked.error },
    );
  };
}

function baseOf(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.username !== '' || url.password !== '') {
    throw new CliError(
      exitCodes.usage,
      `An address must begin with http:// or https:// and contain no password, such as http://127.0.0.1:4400`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `undefined` when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of `fetch` has no reason; its cause does, sometimes only as a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // The message of OpenSSL names a file of its source.
  if ('code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return 'the server does not speak TLS there, so the address may begin with http://';
  return error.message || ('code' in error ? String(error.code) : error.name);
}
