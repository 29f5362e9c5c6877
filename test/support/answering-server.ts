/** A server with answers that a test defines; closed at the end of the test. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string | undefined;
  /** Path and query. */
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface AnsweringServer {
  /** In order of arrival. */
  readonly received: readonly Received[];
  /** Without a path. */
  readonly url: string;
}

export async function answeringServer(
  answer: (response: ServerResponse<IncomingMessage>, request: Received) => void,
): Promise<AnsweringServer> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body: await text(incoming) };
    received.push(request);
    answer(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { received, url: `http://127.0.0.1:${port}` };
}
