/** What a schema refused, as a problem that names the fields. */
import type { z } from '@hono/zod-openapi';
import { faultyFields, fieldErrors } from '#core/field-errors.ts';
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
  const fields = faultyFields(refused.error);
  const errors = fieldErrors(refused.error);
  return problem(codes[refused.target] ?? 'route-unknown', `Look at ${fields}.`, errors);
}
