/** Formats the errors of a schema as a problem that names the fields. */
import type * as z from 'zod';
import { fieldErrors } from '#core/codec/field-errors.ts';
import { fieldProblem, type ProblemCode } from '#http/problem.ts';
import type { Problem } from '#http/problem-schema.ts';

/** By the part of the request: the code of the problem, and the name of the whole part. */
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
