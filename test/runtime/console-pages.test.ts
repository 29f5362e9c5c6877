/** How the console's files are served. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Identify } from '#http/access/access.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { consolePages, type SignIn } from '#runtime/node/console-pages.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { testLog } from '../support/log.ts';

const token = 'a-secret-of-some-length';

async function served(files: Readonly<Record<string, string>>, signIn?: SignIn): Promise<string> {
  const consoleDirectory = mkdtempSync(join(tmpdir(), 'reeve-pages-'));
  onTestFinished(() => rmSync(consoleDirectory, { recursive: true }));
  mkdirSync(join(consoleDirectory, 'assets'));
  for (const [path, text] of Object.entries(files))
    writeFileSync(join(consoleDirectory, path), text);
  const log = testLog();
  const reeve = await startLocalReeve({
    ...{
      workflows: [],
      agents: [],
      path: ':memory:',
      clock: systemClock,
      random: systemRandom,
      log,
    },
    breakerFor: () => ({ run: (call) => call() }),
  });
  onTestFinished(() => reeve.close());
  const pages = consolePages(consoleDirectory, signIn);
  const options = { host: '127.0.0.1', port: 0, clock: systemClock, log, pages };
  const identify: Identify = ({ authorization }) =>
    authorization === `Bearer ${token}`
      ? { kind: 'known', principal: { name: 'olga', role: 'operator', tenant: null } }
      : { kind: 'unknown' };
  const server = await serveApi(reeve, { ...options, identify });
  onTestFinished(() => server.close());
  return server.url;
}

const files = {
  'index.html': '<!doctype html>',
  'assets/a-1.js': 'export {}',
  'assets/a-1.css': 'a{}',
  'notes.txt': 'not for the world',
};

test('the page is served at /, without a token, and asked for again each time', async () => {
  const url = await served(files);
  const response = await fetch(`${url}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(await response.text()).toBe('<!doctype html>');
  expect((await fetch(`${url}/orders`)).status).toBe(401);
});

test('what is named after its content is kept for ever', async () => {
  const url = await served(files);
  const response = await fetch(`${url}/assets/a-1.js`);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('immutable');
});

test.each(['/', '/assets/a-1.js', '/assets/a-1.css'])(
  '%s lets in no other script, no frame, no guess at its type',
  async (path) => {
    const { headers } = await fetch(`${await served(files)}${path}`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  },
);

test.each(['/notes.txt', '/index.html', '/assets/', '/assets/..%2f..%2fpackage.json'])(
  '%s is no page',
  async (path) => {
    const response = await fetch(`${await served(files)}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(404);
  },
);

test('where the console was not built, its page says how to build it', async () => {
  const response = await fetch(`${await served({})}/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('npm run prepare');
});

test('where people sign in is said, and the page may speak to there and to nobody else', async () => {
  const issuer = 'https://id.example.com/pool';
  const tokenOrigin = 'https://shop.example.com';
  const url = await served(files, { issuer, clientId: 'console', scope: 'openid', tokenOrigin });
  const said = await fetch(`${url}/sign-in.json`);
  expect(await said.json()).toEqual({ issuer, clientId: 'console', scope: 'openid' });
  const policy = (await fetch(`${url}/`)).headers.get('content-security-policy');
  expect(policy).toContain(`connect-src 'self' https://id.example.com ${tokenOrigin};`);
});

test('where there is only the token, nothing is said of signing in', async () => {
  const url = await served(files);
  expect((await fetch(`${url}/sign-in.json`)).status).toBe(401);
  expect((await fetch(`${url}/`)).headers.get('content-security-policy')).toContain(
    "connect-src 'self';",
  );
});
