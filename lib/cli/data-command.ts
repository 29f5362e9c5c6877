/** Prints the results of `reeve check`, `backup` and `restore`; the work itself is done elsewhere. */
import { printJson, printLines } from './context.ts';
import type { CliEnvironment, DataOutcome } from './environment.ts';
import type { ExitCode } from './exit-code.ts';

export function printOutcome(
  world: CliEnvironment,
  json: boolean,
  { exitCode, document, lines, error }: DataOutcome,
): ExitCode {
  if (json) {
    printJson(world, error === null ? document : { ...document, error: { ...error, exitCode } });
    return exitCode;
  }
  printLines(world, lines);
  if (error !== null) world.stderr(`error: ${error.message}\n`);
  return exitCode;
}
