/** The error of the command line: the reason why a command failed. */
import { type ExitCode, exitCodes } from './exit-code.ts';

/** For programs: the code of an error without a problem document, with its meaning. */
export const reasons = {
  usage: 'The command, an option or an address is wrong.',
  'file-unreadable': 'A file cannot be read.',
  'file-not-json': 'A file is not JSON in UTF-8.',
  'stack-unusable': 'The stack cannot be looked up, or does not have the outputs of this version.',
  unreachable: 'Reeve, or the simulated suppliers, cannot be reached.',
  'answer-unknown': 'An answer does not match this version of the API.',
  refused: 'The request was refused, without a problem document.',
  failed: 'The request failed, without a problem document.',
  defect: 'The command line has a defect.',
} as const;

export type Reason = keyof typeof reasons;

interface Details {
  readonly reason?: Reason;
  /** The JSON document with which a server refused. */
  readonly answer?: unknown;
  /** The HTTP status with which a server refused. */
  readonly status?: number;
  /** The order that the command had found or submitted. */
  readonly orderId?: string;
  readonly cause?: unknown;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  /** Says what the caller can do. */
  readonly code: ExitCode;
  readonly reason: Reason;
  readonly answer: unknown;
  /** Null where no server refused. */
  readonly status: number | null;
  readonly orderId: string | undefined;

  /** @param message for the user: the value given, the values allowed, what to do next; may have several lines */
  constructor(code: ExitCode, message: string, details: Details = {}) {
    const { reason, answer, status = null, orderId, cause } = details;
    super(message, { cause });
    this.code = code;
    this.reason = reason ?? usual(code);
    this.answer = answer;
    this.status = status;
    this.orderId = orderId;
  }
}

/** The message of an error that something else threw. */
export function messageOf(error: unknown): string {
  // A connection that failed at several addresses has an error without a message.
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
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
