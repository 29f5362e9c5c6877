/**
 * Problem documents for requests that Node's HTTP parser or server refuses before they reach the API. Without these
 * listeners Node answers without a document.
 */
import {
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { type ProblemCode, problem } from '#http/problem.ts';

/** Call before the server listens. */
export function refuseWithProblems(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (_request, response) => {
    if (response.socket !== null) responses.set(response.socket, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refusal(
      'expectation-failed',
      `The expectation ${JSON.stringify(request.headers.expect)} is not supported; only 100-continue is.`,
    );
    response.writeHead(status, headers);
    response.end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endTunnel(socket);
    end(socket, 'method-not-allowed', 'CONNECT is not supported.');
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = responses.get(socket);
    const isAmidAnswer = response?.headersSent === true && !response.writableFinished;
    const code = 'code' in error ? String(error.code) : '';
    // A reset connection cannot receive a response; in the middle of another response this would corrupt it.
    if (!socket.writable || isAmidAnswer || code === 'ECONNRESET') socket.destroy();
    else end(socket, ...(parserRefusals[code] ?? malformed));
  });
}

/** The time to read the answer, ms. */
const tunnelEndMs = 1_000;

/** Node leaves the connection to its listener: an error would end the process, and no timeout would close it. */
function endTunnel(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), tunnelEndMs);
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(timer));
  // What the client sends is not wanted, but without reading its end would not be noticed.
  socket.resume();
}

/** The response to a request that cannot be passed to the API, because its target or host is malformed. */
export function notHandedOn(error: unknown): Response {
  const isMalformed = error instanceof RequestError;
  const { status, headers, body } = isMalformed
    ? refusal(...malformed)
    : refusal('internal', 'The request could not be handled.');
  return new Response(body, { status, headers });
}

const malformed = [
  'request-malformed',
  'The request is not valid HTTP/1.1, or its Host header or target is missing or malformed.',
] as const;

/** By the code of the error. */
const parserRefusals: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers-too-large',
    `The request line and the headers may together have at most ${maxHeaderSize} bytes.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body-too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'Send the whole request without long pauses.'],
};

function refusal(code: ProblemCode, detail: string) {
  const document = problem(code, detail);
  const body = JSON.stringify(document);
  const headers = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { status: document.status, headers, body };
}

function end(socket: Duplex, code: ProblemCode, detail: string): void {
  const { status, headers, body } = refusal(code, detail);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
