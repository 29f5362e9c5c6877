/** What a schema refused, as a problem that names the fields. */
import type { z } from '@hono/zod-openapi';
import { type Problem, type ProblemCode, problem } from './problem.ts';

/** Where the refused value came from, and the code that says so. */
const codes: Readonly<Record<string, ProblemCode>> = {
  json: 'body-invalid',
  query: 'query-invalid',
  header: 'header-invalid',
};

export function validationProblem(refused: {
  readonly target: string;
  readonly error: z.core.$ZodError;
}): Problem {
  const errors = refused.error.issues.flatMap((issue) =>
    fieldsOf(issue).map((field) => ({ field: field || '(the whole)', message: issue.message })),
  );
  const fields = errors.map(({ field }) => field).join(', ');
  return problem(codes[refused.target] ?? 'route-unknown', `Look at ${fields}.`, errors);
}

/** An unknown key is reported at its parent; the reader wants the key. */
function fieldsOf(issue: z.core.$ZodIssue): string[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
  return keys.map((key) =>
    [...issue.path, ...(key === undefined ? [] : [key])].map(String).join('.'),
  );
}
