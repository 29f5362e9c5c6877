/** Requests take turns, so that a flood of them does not delay a health check. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { inTurns } from '#runtime/local/request-turns.ts';
import { within } from '../support/within.ts';

/** A server whose answers wait for the test. */
async function turns(atOnce: number, incompleteAtOnce?: number) {
  const served: { url: string; response: ServerResponse; made: () => void }[] = [];
  let wake = () => {};
  const server = createServer(
    inTurns(
      ({ url = '' }, response) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        served.push({ url, response, made: resolve });
        wake();
        return promise;
      },
      atOnce,
      incompleteAtOnce,
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  /** Resolves when so many requests were served. */
  async function reaches(count: number): Promise<void> {
    while (served.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const urls = () => served.map(({ url }) => url);
  return {
    port,
    urls,
    reaches,
    answer(at: number, body = '') {
      served[at]?.response.end(body);
      served[at]?.made();
    },
    /** Sends a GET, or a POST with a body; resolves when it is sent. */
    async send(path: string, body = ''): Promise<void> {
      const sent = request({ port, path, method: body === '' ? 'GET' : 'POST' });
      sent.on('error', () => {});
      sent.end(body);
      await once(sent, 'finish');
    },
  };
}

test.each(['/x/events', '/orders/a/b/events'])(
  '%s is no event stream, and takes a turn',
  async (path) => {
    const { send, reaches, urls } = await turns(1);
    await send('/a', '{}');
    await reaches(1);
    await send(path, '{}');
    await send('/orders/a/events');
    await send('/healthz');
    await reaches(3);
    expect(urls()).toEqual(['/a', '/orders/a/events', '/healthz']);
  },
);

test.each(['/orders/batch', '/orders/%62atch?x=1'])(
  '%s takes the turns of a batch',
  async (path) => {
    const { send, reaches, urls } = await turns(8);
    await send(path, '{}');
    await reaches(1);
    await send('/a', '{}');
    await send('/healthz');
    await reaches(2);
    expect(urls()).toEqual([path, '/healthz']);
  },
);

test('at most so many requests are served at the same time, in the order in which they came', async () => {
  const { send, reaches, answer, urls } = await turns(2);
  for (const path of ['/a', '/b', '/c', '/d']) await send(path, '{}');
  await reaches(2);
  // A health check needs no turn; when it is served, the others had their chance.
  await send('/healthz?full');
  await reaches(3);
  expect(urls()).toEqual(['/a', '/b', '/healthz?full']);
  answer(1);
  await reaches(4);
  answer(0);
  await reaches(5);
  expect(urls().slice(3)).toEqual(['/c', '/d']);
});

test('a response that its client does not read holds no turn, and no memory for a second one', async () => {
  const { port, send, reaches, answer, urls } = await turns(1);
  const deaf = connect(port, '127.0.0.1');
  deaf.on('error', () => {});
  deaf.pause();
  onTestFinished(() => {
    deaf.destroy();
  });
  deaf.write('GET /deaf HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await reaches(1);
  // More than the buffers of both sockets hold.
  answer(0, 'x'.repeat(64 * 1_048_576));
  for (const [at, path] of ['/a', '/b'].entries()) {
    await send(path);
    await reaches(at + 2);
    answer(at + 1);
  }
  expect(urls()).toEqual(['/deaf', '/a', '/b']);
  deaf.resume();
  await reaches(4);
  expect(urls()[3]).toBe('/deaf');
});

test('of each connection, one request at a time is served', async () => {
  const { port, send, reaches, answer, urls } = await turns(16);
  const eager = connect(port, '127.0.0.1');
  onTestFinished(() => {
    eager.destroy();
  });
  eager.write('GET /eager HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await reaches(1);
  await send('/a');
  await reaches(2);
  expect(urls()).toEqual(['/eager', '/a']);
  answer(0);
  await reaches(3);
  answer(2);
  await reaches(4);
  expect(urls()).toEqual(['/eager', '/a', '/eager', '/eager']);
});

test('a connection that sends requests in advance without end is closed, and one that sends some is not', async () => {
  const { port, reaches, answer, urls } = await turns(16);
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const connected = () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const patient = connected();
  patient.write(get('/patient').repeat(101));
  await reaches(1);
  const endless = connected();
  endless.write(get('/endless').repeat(102));
  expect(await within(10_000, once(endless.resume(), 'close'))).not.toBe('too late');
  const answered = () => urls().filter((url) => url === '/patient').length;
  for (let at = 0; answered() < 101; at += 1) {
    answer(at);
    await reaches(at + 2);
  }
  expect(patient.destroyed).toBe(false);
});

test('a bulk submission takes several turns, so that two of them fill the default ones', async () => {
  const { send, reaches, answer, urls } = await turns(16);
  for (const path of ['/orders/batch', '/orders/batch?a=1', '/orders/batch', '/orders']) {
    await send(path, '{}');
  }
  await reaches(2);
  await send('/healthz?full');
  await reaches(3);
  expect(urls()).toEqual(['/orders/batch', '/orders/batch?a=1', '/healthz?full']);
  answer(0);
  await reaches(4);
  answer(1);
  await reaches(5);
  expect(urls().slice(3)).toEqual(['/orders/batch', '/orders']);
});

test.each(['/healthz', '/healthz?full', '/readyz', '/readyz?full', '/orders/one/events'])(
  '%s is served while all turns are taken',
  async (path) => {
    const { send, reaches, urls } = await turns(1);
    await send('/orders');
    await reaches(1);
    await send(path);
    await reaches(2);
    expect(urls()).toEqual(['/orders', path]);
  },
);

test('event streams take no turn', async () => {
  const { send, reaches, urls } = await turns(1);
  await send('/events');
  await reaches(1);
  await send('/orders/o-1/events');
  await reaches(2);
  await send('/orders');
  await reaches(3);
  expect(urls()).toHaveLength(3);
});

test('a request whose body is not complete takes no turn: its sender may be slow', async () => {
  const { port, send, reaches, urls } = await turns(1);
  const slow = connect(port, '127.0.0.1');
  slow.on('error', () => {});
  onTestFinished(() => {
    slow.destroy();
  });
  slow.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await reaches(1);
  await send('/quick', '{}');
  await reaches(2);
  expect(urls()).toEqual(['/slow', '/quick']);
});

/** Sends a request without the second and last byte of its body. */
function unfinished(port: number, name: string): Socket {
  const connection = connect(port, '127.0.0.1');
  connection.on('error', () => {});
  onTestFinished(() => void connection.destroy());
  connection.write(`POST /${name} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{`);
  return connection;
}

test('of requests whose bodies are not complete only so many are served at once', async () => {
  const { port, send, reaches, answer, urls } = await turns(1, 2);
  const slow = (name: string) => unfinished(port, name);
  slow('a');
  await reaches(1);
  slow('b');
  await reaches(2);
  const gone = slow('gone');
  await send('/healthz');
  await reaches(3);
  slow('c');
  await send('/quick', '{}');
  await reaches(4);
  gone.destroy();
  await once(gone, 'close');
  await send('/healthz');
  await reaches(5);
  expect(urls()).toEqual(['/a', '/b', '/healthz', '/quick', '/healthz']);
  answer(3);
  answer(0);
  await reaches(6);
  expect(urls().at(-1)).toBe('/c');
});

test.each(['healthz', 'readyz', 'events', 'orders/one/events'])(
  'a body for /%s, which has none, is no way around the number of slow requests',
  async (path) => {
    const { port, send, reaches, urls } = await turns(1, 1);
    unfinished(port, path);
    await reaches(1);
    unfinished(port, path);
    await send('/readyz?later');
    await reaches(2);
    expect(urls()).toEqual([`/${path}`, '/readyz?later']);
  },
);

test('a request that waits for slow ones takes its turn once it is complete', async () => {
  const { port, send, reaches, urls } = await turns(1, 1);
  const begin = (name: string) => unfinished(port, name);
  begin('slow');
  await reaches(1);
  const quick = begin('quick');
  await send('/healthz');
  await reaches(2);
  quick.write('}');
  await reaches(3);
  expect(urls()).toEqual(['/slow', '/healthz', '/quick']);
});

test('a request whose sender has left is not served', async () => {
  const { port, send, reaches, answer, urls } = await turns(1);
  await send('/a', '{}');
  await reaches(1);
  const gone = connect(port, '127.0.0.1');
  gone.write('POST /gone HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  await send('/healthz');
  await reaches(2);
  gone.destroy();
  await once(gone, 'close');
  await send('/b', '{}');
  await send('/healthz');
  await reaches(3);
  answer(0);
  await reaches(4);
  expect(urls()).toEqual(['/a', '/healthz', '/healthz', '/b']);
});
