/** Errors of the client. */

/** One error of one field of a request. */
export interface FieldProblem {
  /** Dotted path into the request. */
  readonly field: string;
  /** The end of a sentence that begins with the field. */
  readonly message: string;
}

/**
 * A request that Reeve did not carry out. `code` is that of the problem document (docs/reference.md lists them), or `unreachable`
 * when no answer came, also because the function `token` failed, `answer-unknown` when it is none of Reeve, such as a redirect, which is
 * not followed, or the page of a proxy, `url-invalid` when the address is none of an API, `option-range` when a number of the options is
 * out of its range, or `options-invalid` when one is not known.
 */
export class ApiError extends Error {
  readonly code: string;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** The fields that are wrong. */
  readonly errors: readonly FieldProblem[];

  constructor(
    message: string,
    problem: {
      readonly code: string;
      readonly status: number | null;
      readonly errors?: readonly FieldProblem[];
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: problem.cause });
    this.name = 'ApiError';
    this.code = problem.code;
    this.status = problem.status;
    this.errors = problem.errors ?? [];
  }
}

export const unknownAnswer = () =>
  new ApiError('The answer is none of this version of Reeve.', {
    code: 'answer-unknown',
    status: null,
  });
