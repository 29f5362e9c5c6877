/** A network that loses answers: the server handles the request, and the caller gets no answer. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface LosingProxy {
  readonly url: string;
  /** The number of next answers to this operation that are lost. */
  lose(operation: string, answers: number): void;
  /** The delay of the next answer to this operation, ms. */
  delay(operation: string, ms: number): void;
  /** The number of requests for the operation that reached the server. */
  applied(operation: string): number;
  close(): void;
}

/** Before a server of DynamoDB's protocol. */
export async function losingProxy(target: string): Promise<LosingProxy> {
  const losses = new Map<string, number>();
  const delays = new Map<string, number>();
  const applied = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string, amount: number) =>
    counts.set(key, (counts.get(key) ?? 0) + amount);

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const body = await buffer(request);
    const headers = new Headers();
    for (const name of ['content-type', 'x-amz-target', 'x-amz-date', 'authorization']) {
      headers.set(name, String(request.headers[name]));
    }
    const answer = await fetch(target, { method: 'POST', headers, body });
    const text = await answer.text();
    add(applied, operation, 1);
    if ((losses.get(operation) ?? 0) > 0) {
      add(losses, operation, -1);
      request.socket.destroy();
      return;
    }
    const late = delays.get(operation) ?? 0;
    delays.delete(operation);
    setTimeout(() => {
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
    }, late);
  }

  const server = createServer((request, response) => {
    void pass(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    lose: (operation, answers) => losses.set(operation, answers),
    delay: (operation, ms) => delays.set(operation, ms),
    applied: (operation) => applied.get(operation) ?? 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
