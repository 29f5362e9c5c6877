/** What `reeve check`, `backup` and `restore` print; the work itself is outside the command line. */
import { printJson, printLines } from './context.ts';
import type { CliEnvironment, DataOutcome } from './environment.ts';
import type { ExitCode } from './exit-code.ts';

export function tellOutcome(
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
