/** The console's files, as they were built, in memory; served to whoever may reach the address. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
}

/** By path. */
export type ConsolePages = ReadonlyMap<string, Page>;

export const consoleDirectory = fileURLToPath(new URL('../console/dist', import.meta.url));

/** No script, style or request but the console's own, and no other site shows it in a frame. */
const security = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where nothing was built, the one page says how to build it. */
export function consolePages(directory: string): ConsolePages {
  const pages = new Map<string, Page>();
  for (const file of filesIn(directory)) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const path = `/${relative(directory, file).replaceAll(sep, '/')}`;
    const body = new Uint8Array(readFileSync(file));
    const cached = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = { 'content-type': type, 'cache-control': cached, ...security };
    pages.set(path === '/index.html' ? '/' : path, { body, status: 200, headers });
  }
  return pages.has('/') ? pages : new Map([['/', unbuilt()]]);
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
      ...security,
    },
  };
}
