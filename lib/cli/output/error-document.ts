/** The document that `--json` prints on standard output for an error. */
import type { CliError } from '#cli/cli-error.ts';

export interface ErrorDocument {
  readonly error: {
    /** Stable: the code of the API's problem document where there is one. */
    readonly code: string;
    /** For the user; may have several lines. */
    readonly message: string;
    /** The exit code of the command, which `--help` explains. */
    readonly exitCode: number;
    /** The order that the command waited for: it was accepted, also after this error. */
    readonly orderId?: string;
    /** The problem document of the API; absent when there was none. */
    readonly problem?: unknown;
  };
}

export function errorDocument({ code, reason, message, answer, orderId }: CliError): ErrorDocument {
  return {
    error: {
      code: codeOf(answer) ?? reason,
      message,
      exitCode: code,
      ...(orderId !== undefined && { orderId }),
      ...(answer !== undefined && { problem: answer }),
    },
  };
}

/** The `code` of a problem document; undefined when the response is not one. */
export function codeOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return undefined;
  return typeof answer.code === 'string' ? answer.code : undefined;
}
