/** The schema of problem documents (RFC 9457). */
import { z } from '@hono/zod-openapi';
import { priorities } from '#core/model/record.ts';

export const problemSchema = z
  .object({
    type: z.string().openapi({ example: 'urn:reeve:problem:details-invalid' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({
        description:
          'The invalid fields, by dotted path. Each message completes a sentence that begins with the field. At most 20 errors are given, with at most 2,000 characters together; one more, of the whole document, then says how many there are. A field has at most 200 characters and a message 500: a longer one ends with an ellipsis. Of details with more than 100 values, only the first errors are given.',
      }),
    class: z.enum(priorities).optional().openapi({
      description: 'Of an order that was refused because too many wait: its priority class.',
    }),
    retryAt: z.iso.datetime().optional().openapi({
      description: 'When an order of this class and tenant will be accepted, as `Retry-After`.',
    }),
  })
  .openapi('Problem');

export type Problem = z.infer<typeof problemSchema>;
