import { expect, test } from 'vitest';
import * as z from 'zod';
import { identified, operator, scenario } from './scenario.ts';

const here = '127.0.0.1:4400';
const guarded = (token: string | null = null) =>
  scenario((ports) => ({
    ...ports,
    guard: {
      hosts: new Set([here, 'localhost:4400']),
      identify: ({ authorization }) =>
        token === null || authorization === `Bearer ${token}`
          ? identified(operator)
          : { kind: 'unknown' },
      pages: new Set(['/', '/a.js']),
    },
  }));
const code = async (response: Response) =>
  z.object({ code: z.string() }).parse(await response.json()).code;

test.each(['evil.example', 'evil.example:4400', '127.0.0.1:80', ''])(
  'the host name %j is refused, which prevents DNS rebinding',
  async (host) => {
    const { get } = await guarded();
    const response = await get('/orders', { host });
    expect(response.status).toBe(403);
    expect(await code(response)).toBe('host-forbidden');
  },
);

test.each(['http://evil.example', 'null', `https://${here}.evil.example`, 'http://127.0.0.1:80'])(
  'a page of the origin %s is refused',
  async (origin) => {
    const { get } = await guarded();
    const response = await get('/orders', { host: here, origin });
    expect(response.status).toBe(403);
    expect(await code(response)).toBe('origin-forbidden');
  },
);

test.each([undefined, `http://${here}`])('the origin %s is served', async (origin) => {
  const { get } = await guarded();
  const headers = { host: here, ...(origin !== undefined && { origin }) };
  expect((await get('/orders', headers)).status).toBe(200);
});

test('only pages of allowed origins are served', async () => {
  const { get } = await scenario((ports) => ({
    ...ports,
    guard: { ...ports.guard, origins: new Set(['https://shop.example.com']) },
  }));
  const statusFor = async (origin: string) => (await get('/orders', { host: here, origin })).status;
  expect(await statusFor('https://shop.example.com')).toBe(200);
  expect(await statusFor('https://shop.example.com.evil.example')).toBe(403);
  expect(await statusFor('http://shop.example.com')).toBe(403);
  expect(await statusFor('null')).toBe(403);
});

test('with a token, every route except the health requires it', async () => {
  const token = 'a-secret-of-some-length';
  const { get } = await guarded(token);
  for (const authorization of ['', 'Bearer wrong', `bearer${token}`, `Basic ${token}`]) {
    const response = await get('/orders', { host: here, authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await code(response)).toBe('unauthorized');
  }
  expect((await get('/openapi.json', { host: here })).status).toBe(401);
  expect((await get('/healthz', { host: here })).status).toBe(200);
  const right = { host: here, authorization: `Bearer ${token}` };
  expect((await get('/orders', right)).status).toBe(200);
});

test('pages can be read without the token, under a served host name, and only read', async () => {
  const { app, get } = await guarded('a-secret-of-some-length');
  expect((await get('/a.js', { host: here })).status).toBe(404);
  expect((await get('/b.js', { host: here })).status).toBe(401);
  expect((await get('/a.js', { host: 'evil.example' })).status).toBe(403);
  const posted = await app.request('/a.js', { method: 'POST', headers: { host: here } });
  expect(posted.status).toBe(401);
});
