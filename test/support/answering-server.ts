/** A server with answers that a test defines; closed at the end of the test. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { onLoopback } from './loopback.ts';

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

/** @param answer may return a promise */
export async function answeringServer(
  answer: (response: ServerResponse<IncomingMessage>, request: Received) => unknown,
): Promise<AnsweringServer> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body: await text(incoming) };
    received.push(request);
    await answer(response, request);
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  return { received, url };
}
