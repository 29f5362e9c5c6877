/** What a schema refused, as a problem that names the fields. */
import type { z } from '@hono/zod-openapi';
import { fieldErrors } from '#core/codec/field-errors.ts';
import { fieldProblem, type Problem, type ProblemCode } from '#http/problem.ts';

/** Where the refused value came from: the code that says so, and what the whole of it is called. */
const targets: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  json: ['body-invalid', 'body'],
  query: ['query-invalid', 'query'],
  header: ['header-invalid', 'headers'],
};

export function validationProblem(refused: {
  readonly target: string;
  readonly error: z.core.$ZodError;
}): Problem {
  const [code, whole] = targets[refused.target] ?? ['route-unknown', 'path'];
  return fieldProblem(code, fieldErrors(refused.error, { whole }));
}
