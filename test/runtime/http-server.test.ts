import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Identity } from '#core/access/principal.ts';
import type { Identify } from '#http/access/access.ts';
import { shippedOrders } from '#runtime/command/shipped-orders.ts';
import { startCommand } from '#runtime/command/start-command.ts';
import {
  type ApiServer,
  type ConnectionLimits,
  connectionLimits,
  loopbackHosts,
  serveApi,
} from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { testLog } from '../support/log.ts';

async function served(
  port = 0,
  connections?: ConnectionLimits,
  identify?: Identify,
): Promise<ApiServer & { closeReeve(): void }> {
  const log = testLog();
  const reeve = await startLocalReeve({
    workflows: [],
    agents: [],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log,
  });
  onTestFinished(() => reeve.close());
  const options = {
    ...{ host: '127.0.0.1', port },
    ...(connections !== undefined && { connections }),
    ...(identify !== undefined && { identify }),
  };
  const server = await serveApi(reeve, options);
  onTestFinished(() => server.close());
  return { ...server, closeReeve: reeve.close };
}

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('it serves its own address under the names of loopback, and no other name', async () => {
  const { url } = await served();
  const { port } = new URL(url);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await statusFor(url, `localhost:${port}`)).toBe(200);
  expect(await statusFor(url, 'rebound.example')).toBe(403);
});

test('a server whose Reeve was closed says that it stops, and is given no traffic', async () => {
  const { url, closeReeve } = await served();
  closeReeve();
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(url + path);
    expect([path, answer.status, await answer.json()]).toMatchObject([
      path,
      503,
      { status: 'stopping' },
    ]);
  }
});

test('on port 80, a request may name its address without a port', () => {
  expect(loopbackHosts('127.0.0.1', 80)).toEqual(
    expect.arrayContaining(['localhost', 'localhost:80', '127.0.0.1', '[::1]']),
  );
  expect(loopbackHosts('127.0.0.1', 8_080)).not.toContain('localhost');
});

test('the error for a port in use says what to do', async () => {
  const { url } = await served();
  await expect(served(Number(new URL(url).port))).rejects.toThrow(/Choose another port \(PORT/);
});

test.each([
  ['nosuchhost.invalid', /(ENOTFOUND|EAI_AGAIN)/],
  // Of a network for documentation, so of no machine.
  ['192.0.2.1', /EADDRNOTAVAIL/],
])('the error for %s, which is no address of this machine, names it', async (host, reason) => {
  const reeve = await startLocalReeve({ workflows: [], agents: [], path: ':memory:' });
  onTestFinished(() => reeve.close());
  const identify: Identify = () => ({ kind: 'unknown' });
  const refused = await serveApi(reeve, { host, port: 0, identify }).catch((error) => error);
  expect(refused).toMatchObject({ code: 'host-unusable' });
  expect(refused.message).toMatch(reason);
  expect(refused.message).toContain(`the address ${host}:`);
  expect(refused.message).not.toContain('port)');
});

/** Timeouts that are short enough for a test; all others keep their values. */
const short = (changes: Partial<ConnectionLimits>): ConnectionLimits => ({
  ...{ ...connectionLimits, checkEveryMs: 20 },
  ...changes,
});

/** A connection that sends only this; `said` is the response until it was closed. */
function connection(url: string, sent: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  socket.write(sent);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, closed };
}

const host = (url: string) => `Host: ${new URL(url).host}\r\n`;

test.each<readonly [string, Partial<ConnectionLimits>, (url: string) => string, RegExp]>([
  ['says nothing', { headersMs: 500 }, () => '', /^(HTTP\/1.1 408 |$)/],
  [
    'stops amid its headers',
    { headersMs: 500 },
    (url) => `GET /healthz HTTP/1.1\r\n${host(url)}X-`,
    /^HTTP\/1.1 408 /,
  ],
  [
    'stops amid its body',
    { headersMs: 500, requestMs: 500 },
    (url) =>
      `POST /orders HTTP/1.1\r\n${host(url)}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    /^HTTP\/1.1 408 /,
  ],
  [
    'was answered and asks nothing more',
    { keptMs: 50 },
    (url) => `GET /healthz HTTP/1.1\r\n${host(url)}\r\n`,
    /^HTTP\/1.1 200 /,
  ],
])(
  'a connection that %s is closed; one that follows events is not',
  async (_, limits, sent, said) => {
    const { url } = await served(0, short(limits));
    const following = new AbortController();
    const events = await fetch(`${url}/events`, { signal: following.signal });
    const ended = events.text().then(
      () => 'ended',
      () => 'aborted',
    );
    expect(await connection(url, sent(url)).closed).toMatch(said);
    following.abort();
    expect(await ended).toBe('aborted');
  },
);

test('a follower that accepts no more data is disconnected', async () => {
  const { url } = await served(0, short({ silentMs: 1_000 }));
  const { closed } = connection(url, `GET /events HTTP/1.1\r\n${host(url)}\r\n`);
  expect(await closed).toMatch(/^HTTP\/1.1 200 /);
});

test('a server that is closed ends event streams and requests that are incomplete', async () => {
  const { url, close } = await served(0);
  const follower = connection(url, `GET /events HTTP/1.1\r\n${host(url)}\r\n`);
  await new Promise((resolve) => follower.socket.once('data', resolve));
  const slow = connection(url, `POST /orders HTTP/1.1\r\n${host(url)}Content-Length: 9\r\n\r\n{`);
  await new Promise((resolve) => slow.socket.once('ready', resolve));
  await close();
  expect(await follower.closed).toMatch(/^HTTP\/1.1 200 /);
  await slow.closed;
});

test('a server that is closed answers the requests that it has received', async () => {
  const asked = Promise.withResolvers<void>();
  const known = Promise.withResolvers<Identity>();
  const { url, close } = await served(0, connectionLimits, () => {
    asked.resolve();
    return known.promise;
  });
  const { closed: answer } = connection(url, `GET /workflows HTTP/1.1\r\n${host(url)}\r\n`);
  await asked.promise;
  const closed = close();
  known.resolve({ kind: 'known', principal: { name: 'olga', role: 'viewer', tenant: null } });
  expect(await answer).toMatch(/^HTTP\/1.1 200 .*connection: close.*"workflows":\[\]/is);
  await closed;
});

test('connections beyond the limit are closed at once, and the others are served', async () => {
  const { url } = await served(0, short({ connectionsMax: 1 }));
  const first = connection(url, `GET /events HTTP/1.1\r\n${host(url)}\r\n`);
  await new Promise((resolve) => first.socket.once('data', resolve));
  expect(await connection(url, '').closed).toBe('');
  expect(first.socket.readyState).toBe('open');
});

test.each([
  ['a bad environment', { PORT: 'x' }, /PORT/],
  ['an open address without a token', { HOST: '0.0.0.0' }, /REEVE_TOKEN/],
])('`reeve start` with %s prints an error and ends with 2', async (_, env, message) => {
  const data = mkdtempSync(join(tmpdir(), 'reeve-start-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  let stderr = '';
  const code = await startCommand(
    {
      env: { REEVE_DATA: data, ...env },
      terminal: () => null,
      stdout: () => {},
      stderr: (text) => {
        stderr += text;
      },
      stopped: new Promise(() => {}),
    },
    shippedOrders,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('an address that other machines reach needs principals', async () => {
  const reeve = await startLocalReeve({ workflows: [], agents: [], path: ':memory:' });
  onTestFinished(() => reeve.close());
  await expect(serveApi(reeve, { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
    code: 'identify-missing',
    message: expect.stringContaining('0.0.0.0'),
  });
});
