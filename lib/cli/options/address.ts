/** Where a Reeve of this machine listens: where `reeve start` listens in the same environment. */
import { CliError } from '#cli/cli-error.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { exitCodes } from '#cli/exit-code.ts';

const defaultPort = '4400';
const defaultSuppliersPort = '4401';

export const defaultUrl = `http://127.0.0.1:${defaultPort}`;
export const defaultSuppliersUrl = `http://127.0.0.1:${defaultSuppliersPort}`;

/** @throws {CliError} `usage` when HOST and PORT are no address that can be called */
export function localUrl({ HOST, PORT }: CliEnvironment['env']): string {
  return `http://${callable(HOST || '127.0.0.1')}:${portOf('PORT', PORT, defaultPort, '--url')}`;
}

/** @throws {CliError} `usage` when REEVE_SUPPLIERS_PORT is no port that can be called */
export function localSuppliersUrl({ REEVE_SUPPLIERS_PORT: port }: CliEnvironment['env']): string {
  const name = 'REEVE_SUPPLIERS_PORT';
  return `http://127.0.0.1:${portOf(name, port, defaultSuppliersPort, '--suppliers-url')}`;
}

/** A server that listens on every address is called on this machine by loopback. */
function callable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function portOf(name: string, given: string | undefined, byDefault: string, option: string) {
  const port = given || byDefault;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535) return port;
  const why = port === '0' ? 'lets the server take any free port' : 'is not a port from 1 to 65535';
  throw new CliError(
    exitCodes.usage,
    `${name} is ${JSON.stringify(port)}, which ${why}. Give the address that it printed with ${option}.`,
  );
}
