/** A response with a JSON document, for the OpenAPI description. */
import type { z } from '@hono/zod-openapi';

export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}
