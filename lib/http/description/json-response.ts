/** Responses with a JSON document, for the OpenAPI description. */
import { z } from '@hono/zod-openapi';

export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

/** The header of both answers to a conditional request. */
const headers = z.object({
  etag: z.string().openapi({ description: 'To be sent as If-None-Match in the next request.' }),
});

/** The responses of an operation whose request may be conditional. */
export function conditionalResponses<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
) {
  return {
    200: { ...jsonResponse(description, schema), headers },
    304: { description: 'The document is still that of If-None-Match.', headers },
  };
}
