/** Composition root of the simulated suppliers: four services on one port, with one effect ledger on disk. */
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { promises as timers } from 'node:timers';
import { getRequestListener } from '@hono/node-server';
import { suppliersApp } from './app.ts';
import { Ledger } from './ledger.ts';
import { FaultPanel } from './supplier-faults.ts';
import type { World } from './under-faults.ts';

/** Options of {@link startSuppliers}. */
export interface SuppliersOptions {
  /** The TCP port; 0: any free port. */
  readonly port: number;
  /** The address to listen on. Default `127.0.0.1`: only this machine can call. */
  readonly host?: string;
  /** The directory of the ledger; created when it does not exist. */
  readonly dataDir: string;
  /** Decides the faults. Default `Math.random`. */
  readonly random?: World['random'];
  /** Waits for `latencyMs`. Default: a timer. */
  readonly sleep?: World['sleep'];
  /** Milliseconds since the epoch, for the ledger. Default: the system clock. */
  readonly now?: () => number;
}

/** The running services. */
export interface Suppliers {
  readonly url: string;
  readonly port: number;
  /** Closes every connection, also of hanging requests, then the ledger; may be called again. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the services; resolves when they accept calls.
 *
 * @throws the system error when the port is in use or the directory cannot be written
 */
export async function startSuppliers(options: SuppliersOptions): Promise<Suppliers> {
  const { host = '127.0.0.1', random = Math.random, sleep = timer, now = Date.now } = options;
  makeDirectory(options.dataDir);
  const ledger = new Ledger(join(options.dataDir, 'ledger.sqlite'), now);
  const closing = new AbortController();
  const hosts = new Set<string>();
  const world = { random, sleep, closing: closing.signal };
  const app = suppliersApp(ledger, new FaultPanel(), world, hosts);
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => {
    void listener(request, response);
  });
  try {
    const port = await listen(server, options.port, host);
    for (const name of ['127.0.0.1', 'localhost', '[::1]', host]) hosts.add(`${name}:${port}`);
    const close = async () => {
      closing.abort();
      await shut(server);
      ledger.close();
    };
    return { url: `http://${host}:${port}`, port, close };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** Does not use `recursive`, with which Node loops for ever in /proc and similar file systems. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** The timer rejects only on abort, which is a normal end of the wait. */
function timer(ms: number, signal: AbortSignal): Promise<void> {
  return timers.setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address === null || typeof address === 'string' ? port : address.port);
    });
  });
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
