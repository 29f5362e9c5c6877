/** Serves the built files of the console from memory, without authentication. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { api } from '#http/api.ts';

interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
}

/** By path. */
export type ConsolePages = ReadonlyMap<string, Page>;

/** The folder of the built console, which `npm run prepare` writes. */
export const consoleDirectory = fileURLToPath(new URL('../../console/dist', import.meta.url));

/** The OpenID provider at which users sign in. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** The origin of the token endpoint, if it is not that of the issuer; else null. */
  readonly tokenOrigin: string | null;
}

/** Allows only the console's own scripts, styles and requests, and no framing by other sites. */
function security(signIn: SignIn | null) {
  const provider = signIn === null ? [] : [new URL(signIn.issuer).origin, signIn.tokenOrigin ?? ''];
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      ["connect-src 'self'", ...provider].join(' ').trim(),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the files. When nothing is built, the only page says how to build it. */
export function consolePages(directory: string, signIn: SignIn | null = null): ConsolePages {
  const pages = new Map<string, Page>();
  for (const file of filesIn(directory)) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const path = `/${relative(directory, file).replaceAll(sep, '/')}`;
    const body = new Uint8Array(readFileSync(file));
    const cached = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = { 'content-type': type, 'cache-control': cached, ...security(signIn) };
    pages.set(path === '/index.html' ? '/' : path, { body, status: 200, headers });
  }
  if (!pages.has('/')) return new Map([['/', unbuilt()]]);
  if (signIn !== null) pages.set('/sign-in.json', signInPage(signIn));
  return pages;
}

/** Adds a route for each page, open to anyone. */
export function servePages(app: ReturnType<typeof api>, pages: ConsolePages): void {
  for (const [path, { body, status, headers }] of pages) {
    app.get(path, (context) => context.body(body, status, headers));
  }
}

function signInPage(signIn: SignIn): Page {
  const { issuer, clientId, scope } = signIn;
  return {
    body: new TextEncoder().encode(JSON.stringify({ issuer, clientId, scope })),
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      ...security(signIn),
    },
  };
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [];
  }
}

function unbuilt(): Page {
  const text =
    'The console is not built. Run `npm run prepare` where Reeve is installed, and start Reeve again.\n';
  return {
    body: new TextEncoder().encode(text),
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...security(null),
    },
  };
}
