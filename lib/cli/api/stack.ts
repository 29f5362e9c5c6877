/** A Reeve on AWS, found by its stack or by its address. */
import { CliError, messageOf } from '#cli/cli-error.ts';
import type { AwsTools, CliEnvironment } from '#cli/environment.ts';
import { exitCodes } from '#cli/exit-code.ts';

export interface Stack {
  readonly name: string;
  readonly apiUrl: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly aws: AwsTools;
}

/**
 * The stack that `--stack` or REEVE_STACK names; null when an address is given, or neither.
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
  const outputs = await aws.outputs(name).catch((cause: unknown) => {
    throw new CliError(exitCodes.failed, messageOf(cause), { reason: 'stack-unusable', cause });
  });
  const apiUrl = outputs['ApiUrl'];
  if (apiUrl === undefined) {
    throw new CliError(
      exitCodes.failed,
      `The stack ${name} has no output ApiUrl: it is not a Reeve, or its deployment is not complete.`,
      { reason: 'stack-unusable' },
    );
  }
  return { name, apiUrl, outputs, aws };
}

const executeApi = /^[a-z0-9-]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com$/;

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
