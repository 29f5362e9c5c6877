/** The one error of the command line: whatever keeps a command from doing what it was asked. */
import { type ExitCode, exitCodes } from './exit-code.ts';

/** For programs: what went wrong, where no answer of a server has a code of its own. */
export type Reason =
  | 'usage'
  | 'file-unreadable'
  | 'file-not-json'
  | 'stack-unusable'
  | 'unreachable'
  | 'answer-unknown'
  | 'refused'
  | 'failed'
  | 'defect';

interface Details {
  readonly reason?: Reason;
  /** The JSON document with which a server refused. */
  readonly answer?: unknown;
  readonly cause?: unknown;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  /** What the caller can do about it. */
  readonly code: ExitCode;
  readonly reason: Reason;
  readonly answer: unknown;

  /** @param message for a person: what was got, what is allowed, what to do next; lines allowed */
  constructor(code: ExitCode, message: string, { reason, answer, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.reason = reason ?? usual(code);
    this.answer = answer;
  }
}

function usual(code: ExitCode): Reason {
  switch (code) {
    case exitCodes.usage:
      return 'usage';
    case exitCodes.refused:
      return 'refused';
    case exitCodes.defect:
      return 'defect';
    default:
      return 'failed';
  }
}
