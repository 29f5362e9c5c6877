/** The address of the local Reeve: the one that `reeve start` uses in the same environment. */
import { CliError } from '#cli/cli-error.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { exitCodes } from '#cli/exit-code.ts';

const defaultPort = '4400';
const defaultSuppliersPort = '4401';

export const defaultUrl = `http://127.0.0.1:${defaultPort}`;
export const defaultSuppliersUrl = `http://127.0.0.1:${defaultSuppliersPort}`;

/** @throws {CliError} `usage` when HOST and PORT are not a callable address */
export function localUrl({ HOST, PORT }: CliEnvironment['env']): string {
  return `http://${callable(HOST || '127.0.0.1')}:${portOf('PORT', PORT, defaultPort, '--url')}`;
}

/** @throws {CliError} `usage` when REEVE_SUPPLIERS_PORT is not a callable port */
export function localSuppliersUrl({ REEVE_SUPPLIERS_PORT: port }: CliEnvironment['env']): string {
  const name = 'REEVE_SUPPLIERS_PORT';
  return `http://127.0.0.1:${portOf(name, port, defaultSuppliersPort, '--suppliers-url')}`;
}

/** Replaces the wildcard addresses by loopback. */
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
