/** The errors of a schema validation, by field. */
import type { z } from 'zod';
import { plainIssue } from './plain-issue.ts';

/** One error of one field. */
export interface FieldError {
  /** Dotted path into the document; the name of the document for the document itself. */
  readonly field: string;
  /** The end of a sentence that begins with the field. */
  readonly message: string;
}

/** The position of the validated document: `path` leads to it, `whole` is its name. */
export interface Within {
  readonly path?: readonly string[];
  readonly whole: string;
}

type Refused = Pick<z.core.$ZodError, 'issues'>;

/** The errors by field. Each unknown key is an error of its own; zod reports them together at their parent. */
export function fieldErrors({ issues }: Refused, { path = [], whole }: Within): FieldError[] {
  const at = (inner: readonly PropertyKey[]) => [...path, ...inner].map(String).join('.') || whole;
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: at([...issue.path, key]), message: 'is not known here' }))
      : [{ field: at(issue.path), message: plainIssue(issue) }],
  );
}

/** Field errors in one line: `limit` must be a number; `state` must be … */
export function errorsText(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/** The errors in one line, for the author of a configuration. */
export function refusedText(error: Refused, whole: string): string {
  return errorsText(fieldErrors(error, { whole }));
}

/** Only the names of the fields, for messages that must not quote values. */
export function faultyFields(error: Refused, whole: string): string {
  return fieldErrors(error, { whole })
    .map(({ field }) => field)
    .join(', ');
}

/** The names of the fields, with the messages of Reeve's own checks, which quote no values. */
export function fieldFaults({ issues }: Refused, whole: string): string {
  return issues
    .map((issue) => {
      const fields = faultyFields({ issues: [issue] }, whole);
      return issue.code === 'custom' ? `${fields} (${issue.message})` : fields;
    })
    .join(', ');
}
