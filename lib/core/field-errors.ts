/** What a schema refused, field by field. */
import type { z } from 'zod';

export interface FieldError {
  /** Dotted path into the document; `(the whole)` for the document itself. */
  readonly field: string;
  readonly message: string;
}

/** Unknown keys come as one issue, at their parent; the reader wants each by itself. */
export function fieldErrors(
  { issues }: Pick<z.core.$ZodError, 'issues'>,
  within: readonly string[] = [],
): FieldError[] {
  const at = (path: readonly PropertyKey[]) =>
    [...within, ...path].map(String).join('.') || '(the whole)';
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: at([...issue.path, key]), message: 'is not known here' }))
      : [{ field: at(issue.path), message: issue.message }],
  );
}

/** The fields alone, in one line: for messages that must not quote what was in them. */
export function faultyFields(error: Pick<z.core.$ZodError, 'issues'>): string {
  return fieldErrors(error)
    .map(({ field }) => field)
    .join(', ');
}

/** The same, and what is wrong with each of which Reeve's own checks say it: they quote nothing either. */
export function toldFaults({ issues }: Pick<z.core.$ZodError, 'issues'>): string {
  return issues
    .map((issue) => {
      const fields = faultyFields({ issues: [issue] });
      return issue.code === 'custom' ? `${fields} (${issue.message})` : fields;
    })
    .join(', ');
}
