import type { z } from 'zod';

/** Formats a schema error in one line that names each field: `down: Invalid input: expected boolean`. */
export function explain(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.map(String).join('.') || 'body'}: ${issue.message}`)
    .join('; ');
}
