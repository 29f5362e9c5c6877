/** Serves the API and the console on a port of this machine. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { checkOptions } from '#core/definition/option-forms.ts';
import { assertThat, errorCode, ReeveError } from '#core/model/errors.ts';
import type { Identify } from '#http/access/access.ts';
import { processApi } from '#http/process-api.ts';
import { followerLimits } from '#http/routes/followers.ts';
import type { Log } from '#ports/log.ts';
import { assembleSubmissionBatch } from '#roles/assemble.ts';
import {
  type ConsolePages,
  consoleDirectory,
  consolePages,
  servePages,
} from '#runtime/node/console-pages.ts';
import { isLoopback } from '#runtime/node/loopback.ts';
import { openRequests } from '#runtime/node/open-requests.ts';
import { notHandedOn, refuseWithProblems } from './http-refusals.ts';
import type { LocalReeve } from './local-reeve.ts';
import { checkPort, serverForm } from './option-checks.ts';
import { inTurns, isStreamRequest } from './request-turns.ts';

/** A listening server. */
export interface ApiServer {
  readonly url: string;
  /** Takes no more connections, answers the requests that it has received, for half a second at most, and ends event streams. */
  close(): Promise<void>;
}

/** Options of {@link serveApi}. */
export interface ApiServerOptions {
  /** The address. One that other machines reach needs `identify`. Default 127.0.0.1. */
  readonly host?: string;
  /** 0: any free port. Default 4400. */
  readonly port?: number;
  /** Identifies the principal of a request. Default: every request is from the operator `local`. */
  readonly identify?: Identify;
  /** Receives each request and its principal, as event `access` of level info. Default: the log of `reeve`. */
  readonly accessLog?: Log;
  /** The files of the console. Default: those that come with Reeve. */
  readonly pages?: ConsolePages;
  /** Default: `connectionLimits`. */
  readonly connections?: ConnectionLimits;
}

/** Limits of connections, ms, so that idle clients cannot hold them for ever. */
export interface ConnectionLimits {
  /** From the connection, or the previous response, to the end of a request's headers. */
  readonly headersMs: number;
  /** The same, to the end of a request's body. */
  readonly requestMs: number;
  /** Idle time between two requests. */
  readonly keptMs: number;
  /** Time without a byte in either direction during a response: the client has stopped reading. */
  readonly silentMs: number;
  /** The period of the checks of the first two. */
  readonly checkEveryMs: number;
  /** Further connections are closed at once. */
  readonly connectionsMax: number;
}

/** The default limits. */
export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Load balancers usually keep idle connections for 60 s, and must be the first to close them.
  keptMs: 65_000,
  silentMs: 70_000,
  checkEveryMs: 5_000,
  connectionsMax: 4_096,
};

assertThat(
  connectionLimits.silentMs > 2 * followerLimits.keepAliveMs,
  'keep-alives reach a follower of events before its connection counts as silent',
);

/** Only users of this machine reach a loopback address. */
const localOperator: Identify = () => ({
  kind: 'known',
  principal: { name: 'local', role: 'operator', tenant: null },
});

/** Requests served at the same time: some milliseconds of work, and enough that a group of writes shares its cost. */
const requestsAtOnce = 16;

/** When the last sweep is older than this, ms, the health is degraded; the sweep period is 1 s. */
const sweepLateMs = 15_000;

/**
 * Serves the API and the console of `reeve`. Its `close` does not close `reeve`.
 *
 * @throws {ReeveError} `port-taken` when it cannot listen on the port, `host-unusable` when it cannot listen on any port of `host`;
 *   `identify-missing` when other machines reach `host`, and `identify` is missing; `option-range` when `port` is out of its range
 * @throws {DefinitionError} `options-invalid` when an option is of a wrong kind or not known
 */
export async function serveApi(
  reeve: LocalReeve,
  options: ApiServerOptions = {},
): Promise<ApiServer> {
  checkOptions(serverForm, 'serveApi', options);
  const { host = '127.0.0.1', port: wanted = 4_400, accessLog = reeve.log, identify } = options;
  checkPort(wanted);
  if (identify === undefined && !isLoopback(host)) throw identifyMissing(host);
  const hosts = isLoopback(host) ? new Set<string>() : null;
  let isStopping = false;
  const pages = options.pages ?? consolePages(consoleDirectory);
  const app = processApi({
    ...reeve,
    batch: assembleSubmissionBatch(reeve),
    guard: {
      hosts,
      identify: identify ?? localOperator,
      pages: new Set(pages.keys()),
    },
    accessLog: (access) => accessLog.info('access', access),
    sweepLateMs,
    // The program may close Reeve before its server.
    isStopping: () => isStopping || reeve.refusal() === 'store-closed',
  });
  servePages(app, pages);
  const server = serverOf(app.fetch, options.connections ?? connectionLimits);
  const open = openRequests(server, isStreamRequest);
  server.listen(wanted, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw notListening(host, wanted, cause);
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : wanted;
  for (const name of loopbackHosts(host, port)) hosts?.add(name);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${port}`,
    async close() {
      isStopping = true;
      const closed = once(server, 'close');
      server.close();
      await open.answered();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What the system says of a port; all else is about the address. */
const portErrors: readonly (string | null)[] = ['EADDRINUSE', 'EACCES'];

function notListening(host: string, port: number, cause: unknown): ReeveError {
  const code = errorCode(cause);
  if (portErrors.includes(code)) {
    return new ReeveError(
      'port-taken',
      `Cannot listen on ${host}:${port}. Is it in use? Choose another port (PORT, or the option \`port\`).`,
      { cause },
    );
  }
  return new ReeveError(
    'host-unusable',
    `Cannot listen on the address ${host}: the system says ${code}. Choose an address of this machine, such as 127.0.0.1 (HOST, or the option \`host\`).`,
    { cause },
  );
}

/** The `Host` headers of requests for a loopback address: clients leave out the default port of HTTP. */
export function loopbackHosts(host: string, port: number): readonly string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]', host];
  return [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
}

const identifyMissing = (host: string) =>
  new ReeveError(
    'identify-missing',
    `Other machines reach ${host}, and every request would be that of an operator: give \`identify\`, such as namedTokens, or another host.`,
  );

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
      // The API refuses a request without a Host header, with a problem document; Node would send none.
      requireHostHeader: false,
    },
    inTurns(listener, requestsAtOnce),
  );
  refuseWithProblems(server);
  server.setTimeout(silentMs);
  server.maxConnections = connectionsMax;
  return server;
}
