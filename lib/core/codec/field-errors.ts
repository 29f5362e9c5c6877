/** What a schema refused, field by field. */
import type { z } from 'zod';
import { plainIssue } from './plain-issue.ts';

export interface FieldError {
  /** Dotted path into the document; for the document itself, what it is called. */
  readonly field: string;
  /** The end of a sentence that begins with the field. */
  readonly message: string;
}

/** Where the fields are: `path` leads to the document, `whole` is what the document itself is called. */
export interface Within {
  readonly path?: readonly string[];
  readonly whole: string;
}

type Refused = Pick<z.core.$ZodError, 'issues'>;

/** Unknown keys come as one issue, at their parent; the reader wants each by itself. */
export function fieldErrors({ issues }: Refused, { path = [], whole }: Within): FieldError[] {
  const at = (inner: readonly PropertyKey[]) => [...path, ...inner].map(String).join('.') || whole;
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: at([...issue.path, key]), message: 'is not known here' }))
      : [{ field: at(issue.path), message: plainIssue(issue) }],
  );
}

/** Field errors as one text: `limit` must be a number; `state` must be … */
export function errorsText(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/** What a schema refused as one text, for the author of a file or an environment. */
export function refusedText(error: Refused, whole: string): string {
  return errorsText(fieldErrors(error, { whole }));
}

/** The fields alone, in one line: for messages that must not quote what was in them. */
export function faultyFields(error: Refused, whole: string): string {
  return fieldErrors(error, { whole })
    .map(({ field }) => field)
    .join(', ');
}

/** The same, with what is wrong where Reeve's own checks say it: they quote nothing either. */
export function fieldFaults({ issues }: Refused, whole: string): string {
  return issues
    .map((issue) => {
      const fields = faultyFields({ issues: [issue] }, whole);
      return issue.code === 'custom' ? `${fields} (${issue.message})` : fields;
    })
    .join(', ');
}
