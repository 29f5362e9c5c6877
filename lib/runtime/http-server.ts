/** The API and the console on a port of this machine. */
import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { ReeveError } from '#core/errors.ts';
import { api } from '#http/api.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { isLoopback } from './config.ts';
import { type ConsolePages, consoleDirectory, consolePages, servePages } from './console-pages.ts';
import type { LocalReeve } from './local-reeve.ts';

export interface ApiServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ApiServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly token: string | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: the console, from where `npm ci` built it. */
  readonly pages?: ConsolePages;
}

/** A sweep this old makes the health degraded, ms; they come every second. */
const sweepLateMs = 15_000;

/** @throws {ReeveError} `port-taken` when nothing can listen there */
export async function serveApi(reeve: LocalReeve, options: ApiServerOptions): Promise<ApiServer> {
  const hosts = new Set<string>();
  const pages = options.pages ?? consolePages(consoleDirectory);
  const app = api({
    ...reeve,
    clock: options.clock,
    log: options.log,
    guard: {
      hosts: isLoopback(options.host) ? hosts : null,
      token: options.token,
      pages: new Set(pages.keys()),
    },
    callerOf: () => 'api',
    sweepLateMs,
  });
  servePages(app, pages);
  const server = createAdaptorServer({ fetch: app.fetch });
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
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}
