/** The API and the console on a port of this machine. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { assertThat, ReeveError } from '#core/model/errors.ts';
import type { Identify } from '#http/access/access.ts';
import { api } from '#http/api.ts';
import { followerLimits } from '#http/routes/followers.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { consequencesLog } from '#runtime/node/consequences-log.ts';
import {
  type ConsolePages,
  consoleDirectory,
  consolePages,
  servePages,
} from '#runtime/node/console-pages.ts';
import { isLoopback } from './config.ts';
import { notHandedOn, refuseWithProblems } from './http-refusals.ts';
import type { LocalReeve } from './local-reeve.ts';

export interface ApiServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ApiServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Who asks. Default: whoever reaches the address is the operator `local`. */
  readonly identify?: Identify;
  /** Who asked for what, as event `access` of level info. Default: `log`. */
  readonly accessLog?: Log;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: the console, from where `npm ci` built it. */
  readonly pages?: ConsolePages;
  /** Default: `connectionLimits`. */
  readonly connections?: ConnectionLimits;
}

/** How long a connection may do nothing, ms, and how many there may be: else clients that stay away hold them for ever. */
export interface ConnectionLimits {
  /** From its beginning, or the last answer, to the end of a request's headers. */
  readonly headersMs: number;
  /** To the end of a request's body. */
  readonly requestMs: number;
  /** Between two requests. */
  readonly keptMs: number;
  /** Without a byte in either direction while an answer is due: a reader that takes nothing any more. */
  readonly silentMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
  /** Further connections are closed at once. */
  readonly connectionsMax: number;
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Load balancers keep theirs for 60 s, and must be the first to close one.
  keptMs: 65_000,
  silentMs: 70_000,
  checkEveryMs: 5_000,
  connectionsMax: 4_096,
};

assertThat(
  connectionLimits.silentMs > 2 * followerLimits.keepAliveMs,
  'a follower of events to which something is sent is not silent',
);

/** Nobody else reaches a loopback address. */
const everybody: Identify = () => ({
  kind: 'known',
  principal: { name: 'local', role: 'operator', tenant: null },
});

/** A sweep this old makes the health degraded, ms; they come every second. */
const sweepLateMs = 15_000;

/** @throws {ReeveError} `port-taken` when nothing can listen there */
export async function serveApi(reeve: LocalReeve, options: ApiServerOptions): Promise<ApiServer> {
  const { accessLog = options.log } = options;
  const hosts = new Set<string>();
  const pages = options.pages ?? consolePages(consoleDirectory);
  const app = api({
    ...reeve,
    clock: options.clock,
    log: consequencesLog(options.log, reeve.failure),
    guard: {
      hosts: isLoopback(options.host) ? hosts : null,
      identify: options.identify ?? everybody,
      pages: new Set(pages.keys()),
    },
    accessLog: (access) => accessLog.info('access', access),
    sweepLateMs,
  });
  servePages(app, pages);
  const server = serverOf(app.fetch, options.connections ?? connectionLimits);
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ReeveError(
      'port-taken',
      `Cannot listen on ${options.host}:${options.port}. Is it in use? Choose another PORT.`,
      { cause },
    );
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  for (const name of ['127.0.0.1', 'localhost', '[::1]', options.host])
    hosts.add(`${name}:${port}`);
  const name = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${name}:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function serverOf(
  fetch: Parameters<typeof getRequestListener>[0],
  { headersMs, requestMs, keptMs, silentMs, checkEveryMs, connectionsMax }: ConnectionLimits,
): Server {
  const listener = getRequestListener(fetch, { errorHandler: notHandedOn });
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keptMs,
      connectionsCheckingInterval: checkEveryMs,
      // Node would refuse a request without one itself, without a document.
      requireHostHeader: false,
    },
    (request, response) => {
      void listener(request, response);
    },
  );
  refuseWithProblems(server);
  server.setTimeout(silentMs);
  server.maxConnections = connectionsMax;
  return server;
}
