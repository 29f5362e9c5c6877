/** A Reeve on AWS, found by its stack or by its address. */
import * as z from 'zod';
import { CliError, messageOf } from '#cli/cli-error.ts';
import type { AwsTools, CliEnvironment } from '#cli/environment.ts';
import { exitCodes } from '#cli/exit-code.ts';
import { addressesOutput } from '#text/addresses-output.ts';

export interface Stack {
  readonly name: string;
  readonly apiUrl: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly aws: AwsTools;
}

/**
 * The stack that `--stack` or REEVE_STACK names, or the construct in a stack, as `shop/Orders`; null when an address is given, or neither.
 *
 * @throws {CliError} `usage` for both at once; `failed` when the stack does not exist or contains no Reeve
 */
export async function stackOf(
  world: CliEnvironment,
  { url, stack }: { readonly url?: string; readonly stack?: string },
): Promise<Stack | null> {
  if (url !== undefined && stack !== undefined) {
    throw new CliError(exitCodes.usage, 'Give --url or --stack, not both.');
  }
  const name = stack ?? (url === undefined ? (world.env['REEVE_STACK'] ?? '') : '');
  if (name === '') return null;
  const aws = await world.aws();
  const [stackName = '', ...path] = name.split('/');
  const found = await aws.outputs(stackName).catch((cause: unknown) => {
    throw new CliError(exitCodes.failed, messageOf(cause), { reason: 'stack-unusable', cause });
  });
  const outputs = path.length === 0 ? found : addressesIn(found[addressesOutput(path)]);
  const apiUrl = outputs?.['ApiUrl'];
  if (outputs === undefined || apiUrl === undefined) {
    throw new CliError(exitCodes.failed, withoutReeve(name, found), { reason: 'stack-unusable' });
  }
  return { name, apiUrl, outputs, aws };
}

const addresses = z.record(z.string(), z.string());

/** The addresses in the one output of a construct; undefined when they are not there. */
function addressesIn(output: string | undefined): Stack['outputs'] | undefined {
  if (output === undefined) return undefined;
  try {
    return addresses.safeParse(JSON.parse(output)).data;
  } catch {
    return undefined;
  }
}

/** What the stack has instead, because the path of a construct is easily left out. */
function withoutReeve(name: string, found: Stack['outputs']): string {
  const others = Object.values(found).flatMap((output) => addressesIn(output)?.['Reeve'] ?? []);
  if (others.length > 0) {
    return `There is no Reeve ${name} in the stack. It has ${others.join(', ')}: give one of these to --stack.`;
  }
  const output = name.includes('/') ? 'such output of addresses' : 'output ApiUrl';
  return `The stack ${name} has no ${output}: it is not a Reeve, or its deployment is not complete.`;
}

/** The names of hosts end otherwise in China and in the European Sovereign Cloud. */
const executeApi = /^[a-z0-9-]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.(?:com|com\.cn|eu)$/;

export function isExecuteApi(url: string): boolean {
  return executeApi.test(URL.parse(url)?.hostname ?? '');
}

/** Signs requests to API Gateway; leaves all others unchanged. */
export async function fetchFor(
  world: CliEnvironment,
  url: string,
  stack: Stack | null,
): Promise<CliEnvironment['fetch']> {
  const [, region] = executeApi.exec(URL.parse(url)?.hostname ?? '') ?? [];
  if (stack === null && region === undefined) return world.fetch;
  const aws = stack?.aws ?? (await world.aws());
  return aws.signedFetch(region ?? null);
}
