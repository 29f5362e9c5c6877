/** A proxy before an emulator: forwards the functions' requests and records the caller of each. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Call, callsOf } from './calls.ts';

export interface RecordingProxy {
  /** The endpoint of one function: its path identifies the caller. */
  endpointOf(caller: string): string;
  /** Every distinct call. */
  calls(): readonly Call[];
  /** Until the returned function is called, such calls are recorded and answered with 500. */
  refuse(which: (call: Call) => boolean): () => void;
  /** Requests that could not be recorded; empty when the record is complete. */
  readonly failures: readonly unknown[];
  close(): void;
}

export async function recordingProxy(target: { readonly port: number }): Promise<RecordingProxy> {
  const recorded = new Map<string, Call>();
  const failures: unknown[] = [];
  let refused = (_: Call) => false;

  /** Returns whether to answer the request. */
  function record(caller: string, path: string, request: IncomingMessage, body: string): boolean {
    try {
      const operation = request.headers['x-amz-target'];
      const made = callsOf(caller, {
        method: request.method ?? '',
        path,
        target: typeof operation === 'string' ? operation : null,
        body,
      });
      for (const call of made) recorded.set(Object.values(call).join(' '), call);
      return !made.some(refused);
    } catch (error) {
      failures.push(error);
      return true;
    }
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [, caller = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(request.url ?? '') ?? [];
    if (!record(decodeURIComponent(caller), path, request, body.toString())) {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
      return;
    }
    const outgoing = send(
      {
        host: '127.0.0.1',
        port: target.port,
        method: request.method,
        path,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    outgoing.end(body);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    endpointOf: (caller) => `http://127.0.0.1:${address.port}/${encodeURIComponent(caller)}`,
    calls: () => [...recorded.values()],
    refuse(which) {
      refused = which;
      return () => {
        refused = () => false;
      };
    },
    failures,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
