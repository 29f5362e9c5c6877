/** A door before a service: it notes each call that comes, and can be in trouble as a service is. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FailingFront {
  readonly url: string;
  /** The idempotency keys of the calls of an order so far. */
  keysOf(orderId: string): readonly (string | undefined)[];
  /** The next so many calls are answered 503, and do not reach the service. */
  failNext(count: number): void;
  /** From now on answers come so long drop by drop, ms, each drop before a reader loses patience. */
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
      // JSON may begin with as much space as one likes.
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
