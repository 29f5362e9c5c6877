/** A door before a service: it notes each call that comes, and can turn some away as a service in trouble does. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface FailingFront {
  readonly url: string;
  /** The idempotency keys of all calls so far, by the order that their body or key names first. */
  keysOf(orderId: string): readonly (string | undefined)[];
  /** The next so many calls are answered 503, and do not reach the service. */
  failNext(count: number): void;
  close(): Promise<void>;
}

export async function failingFront(service: string): Promise<FailingFront> {
  const keys: (string | undefined)[] = [];
  let failing = 0;
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
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
