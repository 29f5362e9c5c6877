/** The input of every command: the environment, both APIs, and the output. */

import { type Api, type Call, httpApi } from '#cli/api/http-api.ts';
import { patience } from '#cli/api/retry-after.ts';
import { fetchFor, isExecuteApi, type Stack, stackOf } from '#cli/api/stack.ts';
import { localSuppliersUrl, localUrl } from '#cli/options/address.ts';
import { type Paint, paintFor } from '#cli/output/paint.ts';
import { CliError } from './cli-error.ts';
import type { CliEnvironment } from './environment.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** The options of every command, as commander passes them. */
export interface GlobalOptions {
  readonly url?: string;
  readonly stack?: string;
  readonly json?: boolean;
  readonly suppliersUrl?: string;
}

export interface Context {
  readonly environment: CliEnvironment;
  readonly json: boolean;
  readonly paint: Paint;
  /** The address options of the command line, repeated in proposed commands. */
  readonly addressOptions: readonly string[];
  /** The stack that is called; null: an address. */
  readonly stack: Stack | null;
  readonly reeve: Api;
  readonly suppliers: Api;
}

/** @throws {CliError} `usage` when an address or the token is malformed */
export async function contextOf(
  environment: CliEnvironment,
  options: GlobalOptions,
): Promise<Context> {
  refuseEmpty(options);
  const stack = await stackOf(environment, options);
  const url =
    stack?.apiUrl ?? options.url ?? (environment.env['REEVE_URL'] || localUrl(environment.env));
  const token = tokenOf(environment.env);
  return {
    environment,
    json: options.json ?? false,
    paint: paintFor(environment),
    addressOptions: addressOptionsOf(options),
    stack,
    reeve: httpApi(
      {
        name: 'Reeve',
        patience: patience(environment),
        url,
        token,
        unreachableHint:
          stack === null && !isExecuteApi(url)
            ? 'Start it with `reeve dev MODULE`, or with `reeve start` for the shop of the examples; or give its address with --url or REEVE_URL (or HOST and PORT, as for `reeve start`), or its stack with --stack.'
            : 'Check AWS_REGION, your AWS credentials and their permission to call the API.',
      },
      token === null ? await fetchFor(environment, url, stack) : environment.fetch,
    ),
    // Made on first use, so that a wrong address of the suppliers fails no other command.
    get suppliers() {
      return suppliersApi(environment, options);
    },
  };
}

/** Refuses empty values, usually of unset variables, because the default could be another Reeve. */
function refuseEmpty({ url, stack, suppliersUrl }: GlobalOptions): void {
  const given = { '--url': url, '--stack': stack, '--suppliers-url': suppliersUrl };
  for (const [option, value] of Object.entries(given)) {
    if (value === '') throw new CliError(exitCodes.usage, `${option} is empty.`);
  }
}

function suppliersApi(environment: CliEnvironment, { suppliersUrl }: GlobalOptions): Api {
  return httpApi(
    {
      name: 'The suppliers',
      url:
        suppliersUrl ??
        (environment.env['REEVE_SUPPLIERS_URL'] || localSuppliersUrl(environment.env)),
      // The suppliers must not get Reeve's token.
      token: null,
      unreachableHint:
        '`reeve start` starts them too, unless the addresses of services are set. Give their address with --suppliers-url or REEVE_SUPPLIERS_URL.',
    },
    environment.fetch,
  );
}

/** Prints a document for programs, on one line. */
export function printJson(environment: CliEnvironment, document: unknown): void {
  environment.stdout(`${JSON.stringify(document)}\n`);
}

export function printLines(environment: CliEnvironment, lines: readonly string[]): void {
  environment.stdout(lines.map((line) => `${line}\n`).join(''));
}

/** A command that makes one call and prints the response. */
export async function askAndPrint<Value>(
  { environment, json }: Context,
  api: Api,
  call: Call<Value>,
  lines: (value: Value) => readonly string[],
): Promise<ExitCode> {
  const answer = await api(call);
  if (json) printJson(environment, answer.json);
  else printLines(environment, lines(answer.value));
  return exitCodes.done;
}

function addressOptionsOf({ url, stack }: GlobalOptions): string[] {
  if (stack !== undefined) return ['--stack', stack];
  return url === undefined ? [] : ['--url', url];
}

/** Visible ASCII, which a header can contain unchanged. */
const headerValue = /^[\x21-\x7e]+$/;

function tokenOf(env: CliEnvironment['env']): string | null {
  const token = env['REEVE_TOKEN'] ?? '';
  if (token === '') return null;
  if (headerValue.test(token)) return token;
  throw new CliError(
    exitCodes.usage,
    'REEVE_TOKEN must be visible ASCII characters without spaces, as `reeve token` prints it.',
  );
}
