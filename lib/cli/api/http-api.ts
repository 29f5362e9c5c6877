/** One HTTP exchange, checked: an answer in the expected form, or a CliError that says what to do. */
import type { ZodType } from 'zod';
import { CliError } from '#cli/cli-error.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { exitCodes } from '#cli/exit-code.ts';
import { refusalText } from '#cli/output/refusal-text.ts';

/** Far more than any request takes: what it cuts off is a server that accepts and never answers. */
const requestTimeoutMs = 30_000;

export interface Call<Value> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, every part of it encoded. */
  readonly path: string;
  /** What the answer must fit. */
  readonly answer: ZodType<Value>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, as text. */
  readonly body?: string;
}

export interface Answer<Value> {
  /** The whole document, unknown fields too. */
  readonly json: unknown;
  readonly value: Value;
}

/** @throws {CliError} `refused` on 4xx; `failed` when there was no answer, a 5xx or a strange one */
export type Api = <Value>(call: Call<Value>) => Promise<Answer<Value>>;

export interface ApiOptions {
  /** As a sentence begins with it. */
  readonly name: string;
  /** An http or https address, perhaps with a path that all requests begin with. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; null: none. */
  readonly token: string | null;
  /** What a person should do when nobody answers. */
  readonly unreachableHint: string;
}

/** @throws {CliError} `usage` when the address is no such */
export function httpApi(options: ApiOptions, fetch: CliEnvironment['fetch']): Api {
  const { name, unreachableHint, token } = options;
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
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      return { ok: response.ok, status: response.status, text: await response.text() };
    } catch (cause) {
      const message = `${name} cannot be reached at ${base}: ${reasonOf(cause)}\n${unreachableHint}`;
      throw new CliError(exitCodes.failed, message, { reason: 'unreachable', cause });
    }
  }

  return async (call) => {
    const { ok, status, text } = await exchange(call);
    const json = parsed(text);
    if (!ok) {
      const code = status >= 400 && status < 500 ? exitCodes.refused : exitCodes.failed;
      throw new CliError(code, refusalText(name, base, status, json), { answer: json });
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
      `An address must begin with http:// or https:// and hold no password, such as http://127.0.0.1:4400`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `undefined` when it is not JSON, which no JSON document is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` says only that it failed; what failed is in its cause, at times by its code alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
