/** Requests that Node or its parser refuses are answered with problem documents too. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { problemSchema } from '#http/problem-schema.ts';
import { refuseWithProblems } from '#runtime/local/http-refusals.ts';
import { type ConnectionLimits, connectionLimits, serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';

async function served(limits: Partial<ConnectionLimits> = {}) {
  const errors: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (event: string) => void errors.push(event) };
  const reeve = await startLocalReeve({
    workflows: [],
    agents: [],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log,
  });
  onTestFinished(() => reeve.close());
  const connections = { ...connectionLimits, ...limits };
  const options = { host: '127.0.0.1', port: 0, connections };
  const server = await serveApi(reeve, options);
  onTestFinished(() => server.close());
  return { url: server.url, errors };
}

/** The whole response to these bytes, until the server closes the connection. */
async function answerTo(url: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // A server that closes while it is being written to resets the connection.
  socket.on('error', () => {});
  socket.write(sent);
  await once(socket, 'close');
  return text;
}

function problemIn(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  const document = problemSchema.parse(JSON.parse(body));
  expect(document.status).toBe(Number(status));
  return { status: document.status, code: document.code };
}

const close = 'Connection: close\r\n';

test.each<readonly [string, (host: string) => string, number, string]>([
  ['without a Host', () => `GET /orders HTTP/1.1\r\n${close}\r\n`, 400, 'request-malformed'],
  [
    'with a Host that is none',
    () => `GET /orders HTTP/1.1\r\nHost: a b/c?\r\n${close}\r\n`,
    400,
    'request-malformed',
  ],
  [
    'about the server itself',
    (host) => `OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`,
    400,
    'request-malformed',
  ],
  [
    'with an expectation that nobody knows',
    (host) => `POST /orders HTTP/1.1\r\n${host}Expect: banana\r\nContent-Length: 2\r\n\r\n{}`,
    417,
    'expectation-failed',
  ],
  ['that is not HTTP', () => 'hello\r\n\r\n', 400, 'request-malformed'],
  [
    'with a header that is none',
    (host) => `GET /orders HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    400,
    'request-malformed',
  ],
  [
    'with two lengths',
    (host) => `POST /orders HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    400,
    'request-malformed',
  ],
  [
    'with headers that are too large',
    (host) => `GET /orders HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers-too-large',
  ],
  [
    'with a path that is too long',
    (host) => `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    431,
    'headers-too-large',
  ],
  [
    'for a tunnel',
    () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    405,
    'method-not-allowed',
  ],
])('a request %s', async (_, request, status, code) => {
  const { url, errors } = await served();
  const answer = await answerTo(url, request(`Host: ${new URL(url).host}\r\n`));
  expect(problemIn(answer)).toEqual({ status, code });
  expect(errors).toEqual([]);
});

test('an incomplete request is answered with a problem document', async () => {
  const { url } = await served({ headersMs: 200, requestMs: 200, checkEveryMs: 20 });
  const answer = await answerTo(url, `GET /orders HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-`);
  expect(problemIn(answer)).toEqual({ status: 408, code: 'request-timeout' });
});

/** Of the system under the server: what remains open there. */
async function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** A server that only refuses, and says how many of its connections are open. */
async function refusing() {
  const server = createServer();
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  refuseWithProblems(server);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const tunnel = () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n');
    return socket;
  };
  return { server, accepted, tunnel };
}

test('a client that resets its connection after CONNECT ends no process', async () => {
  const { server, accepted, tunnel } = await refusing();
  for (let client = 0; client < 3; client += 1) {
    const socket = tunnel();
    await once(socket, 'data');
    // An error that no listener takes ends the process, and says only at the end of all tests which.
    expect(accepted.at(-1)?.listenerCount('error')).toBeGreaterThan(0);
    socket.resetAndDestroy();
  }
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

test.each([
  ['that sends more and leaves', (socket: Socket) => socket.end('more')],
  ['that stays', () => {}],
])('the connection of a client %s after CONNECT is closed', async (_, then) => {
  const { server, tunnel } = await refusing();
  const socket = tunnel();
  await once(socket, 'data');
  then(socket);
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

test('invalid bytes after a request end the connection, and do not corrupt its response', async () => {
  const { url } = await served();
  const head = `GET /events HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const begun = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += String(chunk);
      resolve();
    });
  });
  socket.on('error', () => {});
  socket.write(head);
  await begun;
  socket.write('rubbish\r\n\r\n');
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toContain('problem');
});

test.each([
  ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"wor'],
  ['a body of a given length', 'Content-Length: 100\r\n\r\n{"wor'],
])('a client that disconnects %s causes no error of Reeve', async (_, rest) => {
  const { url, errors } = await served();
  const { hostname, port, host } = new URL(url);
  for (const path of ['/orders', '/orders/01kdvdna0012vzf1k7ypyn20t7/cancel']) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${rest}`,
    );
    await once(socket, 'connect');
    // When the server answers another request, it has read these bytes.
    expect((await fetch(`${url}/workflows`)).status).toBe(200);
    socket.destroy();
  }
  for (let looks = 0; looks < 5; looks += 1) await fetch(`${url}/workflows`);
  expect(errors).toEqual([]);
});
