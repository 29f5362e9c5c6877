/** The files of the console, as they are served. */
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
  });
  onTestFinished(() => reeve.close());
  const pages = consolePages(consoleDirectory, signIn);
  const options = { host: '127.0.0.1', port: 0, pages };
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

test('the page is served at / without a token, and must be revalidated', async () => {
  const url = await served(files);
  const response = await fetch(`${url}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(await response.text()).toBe('<!doctype html>');
  expect((await fetch(`${url}/orders`)).status).toBe(401);
});

test('files named after their content are cached without a limit', async () => {
  const url = await served(files);
  const response = await fetch(`${url}/assets/a-1.js`);
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('immutable');
});

test.each(['/', '/assets/a-1.js', '/assets/a-1.css'])(
  '%s has headers against foreign scripts, frames and content sniffing',
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
  '%s is not a page',
  async (path) => {
    const response = await fetch(`${await served(files)}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(404);
  },
);

test('without a build of the console, its page says how to build it', async () => {
  const response = await fetch(`${await served({})}/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('npm run prepare');
});

test('the sign-in settings name the provider, and the page may connect to it alone', async () => {
  const issuer = 'https://id.example.com/pool';
  const tokenOrigin = 'https://shop.example.com';
  const url = await served(files, { issuer, clientId: 'console', scope: 'openid', tokenOrigin });
  const said = await fetch(`${url}/sign-in.json`);
  expect(await said.json()).toEqual({ issuer, clientId: 'console', scope: 'openid' });
  const policy = (await fetch(`${url}/`)).headers.get('content-security-policy');
  expect(policy).toContain(`connect-src 'self' https://id.example.com ${tokenOrigin};`);
});

test('without a provider the sign-in settings are not served', async () => {
  const url = await served(files);
  expect((await fetch(`${url}/sign-in.json`)).status).toBe(401);
  expect((await fetch(`${url}/`)).headers.get('content-security-policy')).toContain(
    "connect-src 'self';",
  );
});
