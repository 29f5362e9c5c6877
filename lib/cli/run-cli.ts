/** The entry of the command line: arguments in, exit code out, every error reported. */
import { CommanderError } from 'commander';
import { errorDocument } from '#cli/output/error-document.ts';
import { plainLines } from '#text/plain-text.ts';
import { CliError, messageOf } from './cli-error.ts';
import { printJson } from './context.ts';
import type { CliEnvironment } from './environment.ts';
import { exitCodes } from './exit-code.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command.
 *
 * @param argv without the names of node and script
 * @returns the exit code, as in `reeve --help`; never rejects
 */
export async function runCli(argv: readonly string[], world: CliEnvironment): Promise<number> {
  let exitCode: number = exitCodes.done;
  // Not by commander, because `--json` also applies to errors of its parser.
  const json = isGiven(argv, '--json');
  const done = (code: number) => {
    exitCode = code;
  };
  const program = buildProgram(world, done, json);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reported(error, world, json);
  }
}

function isGiven(argv: readonly string[], option: string): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).includes(option);
}

function reported(error: unknown, world: CliEnvironment, json: boolean): number {
  if (error instanceof CommanderError) {
    // Help or version was printed.
    if (error.exitCode === 0) return exitCodes.done;
    if (json) report(asUsage(error), world, json);
    return exitCodes.usage;
  }
  if (error instanceof CliError) {
    report(error, world, json);
    return error.code;
  }
  const text = (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
  // The stack trace is for developers; with `--json`, the document has only the message.
  world.stderr(`error: ${text}\n`);
  if (json) {
    report(new CliError(exitCodes.defect, messageOf(error)), world, json);
  }
  return exitCodes.defect;
}

/** Without `--json`, commander has already printed the message. */
function asUsage({ code, message }: CommanderError): CliError {
  const words =
    code === 'commander.help'
      ? 'Name a command: `reeve --help` lists them.'
      : message.replace(/^error: /, '');
  return new CliError(exitCodes.usage, words);
}

function report(error: CliError, world: CliEnvironment, json: boolean): void {
  if (json) printJson(world, errorDocument(error));
  else world.stderr(`error: ${plainLines(error.message)}\n`);
}
