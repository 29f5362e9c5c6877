import type { z } from 'zod';

/** A failed check in one line that names each field: `down: Invalid input: expected boolean`. */
export function explain(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.map(String).join('.') || 'body'}: ${issue.message}`)
    .join('; ');
}
