/** A server that closes answers what it has received, and waits for nothing else. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openRequests } from '#runtime/node/open-requests.ts';

const hourMs = 3_600_000;

/** A server whose answers wait for the test. */
async function opened(withinMs: number) {
  const responses: ServerResponse[] = [];
  let wake = () => {};
  const server = createServer((_request, response) => {
    responses.push(response);
    wake();
  });
  const { answered } = openRequests(server, ({ url }) => url === '/stream', withinMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    answered,
    /** Resolves with the response of this place when its request has arrived. */
    async responseAt(place: number): Promise<ServerResponse> {
      for (;;) {
        const response = responses[place];
        if (response !== undefined) return response;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    send(path: string): void {
      const sent = request({ port, path });
      sent.on('error', () => {});
      sent.end();
    },
  };
}

test('without a request there is nothing to wait for', async () => {
  const { answered } = await opened(hourMs);
  await answered();
});

test('the answers to all requests are waited for, and each says that its connection ends', async () => {
  const { answered, responseAt, send } = await opened(hourMs);
  send('/a');
  const first = await responseAt(0);
  send('/b');
  const second = await responseAt(1);
  let isOver = false;
  const over = answered().then(() => {
    isOver = true;
  });
  first.end('a');
  await once(first, 'close');
  expect(isOver).toBe(false);
  second.end('b');
  await over;
  expect([first, second].map((response) => response.shouldKeepAlive)).toEqual([false, false]);
});

test('neither streams are waited for, nor requests that are not complete', async () => {
  const { port, answered, responseAt, send } = await opened(hourMs);
  send('/stream');
  await responseAt(0);
  const slow = connect(port, '127.0.0.1');
  onTestFinished(() => void slow.destroy());
  slow.on('error', () => {});
  slow.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{');
  await responseAt(1);
  await answered();
});

test('a client that has left is not waited for', async () => {
  const { port, answered, responseAt } = await opened(hourMs);
  const gone = connect(port, '127.0.0.1');
  gone.write('GET /gone HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await responseAt(0);
  const over = answered();
  gone.destroy();
  await over;
  expect(response.destroyed).toBe(true);
});

test('a request that comes while others are waited for is the last one of its connection', async () => {
  const { port, answered, responseAt, send } = await opened(hourMs);
  const kept = connect(port, '127.0.0.1');
  onTestFinished(() => void kept.destroy());
  kept.write('GET /early HTTP/1.1\r\nHost: x\r\n\r\n');
  const early = await responseAt(0);
  send('/waits');
  const waits = await responseAt(1);
  early.end();
  await once(early, 'close');
  const over = answered();
  kept.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
  const late = await responseAt(2);
  expect([early, late].map(({ shouldKeepAlive }) => shouldKeepAlive)).toEqual([true, false]);
  late.end();
  waits.end();
  await over;
});

test('an answer that does not come is waited for as long as there is time', async () => {
  const { answered, responseAt, send } = await opened(1);
  send('/hangs');
  const response = await responseAt(0);
  await answered();
  expect(response.writableEnded).toBe(false);
});
