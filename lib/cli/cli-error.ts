/** The one error of the command line: whatever keeps a command from doing what it was asked. */
import type { ExitCode } from './exit-code.ts';

interface Details {
  /** The JSON document that said so, which `--json` prints instead of the message. */
  readonly answer?: unknown;
  readonly cause?: unknown;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  /** What the caller can do about it. */
  readonly code: ExitCode;
  readonly answer: unknown;

  /** @param message for a person: what was got, what is allowed, what to do next; lines allowed */
  constructor(code: ExitCode, message: string, { answer, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.answer = answer;
  }
}
