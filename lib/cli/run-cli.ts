/** The entry of the command line: arguments in, exit code out, every error told. */
import { CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { type GlobalOptions, printJson } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { buildProgram } from './program.ts';
import type { World } from './world.ts';

/**
 * Runs one command to its end.
 *
 * @param argv without the names of node and script
 * @returns the exit code, as `reeve --help` explains it; it never rejects
 */
export async function runCli(argv: readonly string[], world: World): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = buildProgram(world, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reported(error, world, program.opts<GlobalOptions>().json ?? false);
  }
}

function reported(error: unknown, world: World, json: boolean): number {
  // Commander has told it; 0 where only help was asked for.
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  if (error instanceof CliError) {
    if (json && error.answer !== undefined) printJson(world, error.answer);
    else world.stderr(`error: ${error.message}\n`);
    return error.code;
  }
  // A mistake of ours: not to be taken for an order's bad end, which is Node's exit code for it.
  world.stderr(`error: ${error instanceof Error ? error.stack : String(error)}\n`);
  return exitCodes.failed;
}
