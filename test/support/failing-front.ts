/** A proxy before a service: records each call, and fails on request. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FailingFront {
  readonly url: string;
  /** The idempotency keys of an order's calls so far. */
  keysOf(orderId: string): readonly (string | undefined)[];
  /** Answers the next calls with 503 without forwarding them. */
  failNext(count: number): void;
  /** From now on answers arrive in pieces at this interval, ms, shorter than a reader's timeout. */
  dribble(ms: number): void;
  close(): Promise<void>;
}

const dropMs = 100;

export async function failingFront(service: string): Promise<FailingFront> {
  const keys: (string | undefined)[] = [];
  let failing = 0;
  let dribbleMs = 0;
  const server = createServer((incoming, answer) => {
    void (async () => {
      const { method, url = '', headers } = incoming;
      const key = headers['idempotency-key'];
      keys.push(typeof key === 'string' ? key : undefined);
      const body = await buffer(incoming);
      if (failing > 0) {
        failing -= 1;
        answer.writeHead(503).end('{}');
        return;
      }
      const gone = new AbortController();
      answer.on('close', () => gone.abort());
      const passedOn = await fetch(`${service}${url}`, {
        method: method ?? 'GET',
        headers: {
          'content-type': 'application/json',
          ...(key && { 'idempotency-key': `${key}` }),
        },
        body: new Uint8Array(body),
        signal: gone.signal,
      });
      answer.writeHead(passedOn.status, { 'content-type': 'application/json' });
      // JSON may begin with any amount of white space.
      for (let waited = 0; waited < dribbleMs; waited += dropMs) {
        answer.write(' ');
        await sleep(dropMs);
      }
      answer.end(await passedOn.text());
    })().catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    keysOf: (orderId) => keys.filter((key) => key?.startsWith(`${orderId}/`)),
    failNext(count) {
      failing = count;
    },
    dribble(ms) {
      dribbleMs = ms;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
