/** Makes the OpenAPI document of all operations; `npm run contracts` writes it to `openapi.json`, which the API serves. */
import { OpenAPIHono } from '@hono/zod-openapi';
import { batchOrderSchema } from '#http/requests/request-schemas.ts';
import { operations } from './operations.ts';

export function describeApi(): object {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  for (const operation of Object.values(operations)) registry.registerPath(operation);
  registry.register('BatchOrder', batchOrderSchema.clone());
  registry.registerComponent('securitySchemes', 'bearer', bearer);
  return app.getOpenAPI31Document(head);
}

/** The security scheme; without configured tokens, no token is required. */
const bearer = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A token of REEVE_TOKENS, or of the OpenID provider on AWS, where callers may sign for IAM instead. `x-required-role` of an operation is the minimum role that may use it.',
} as const;

const head = {
  openapi: '3.1.0',
  info: {
    title: 'Reeve',
    version: '1',
    description:
      'Submits, follows, resubmits, cancels and reprioritises orders. Errors are RFC 9457 problem documents with a stable code.',
    contact: { name: 'The operator of this Reeve' },
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  // Paths are relative to the address of this document, wherever it is served.
  servers: [{ url: '/' }],
  tags: [
    { name: 'Orders', description: 'Submit, get and list orders.' },
    { name: 'Operator actions', description: 'Resubmit, cancel and reprioritise orders.' },
    { name: 'Agents', description: 'What agents do now; drain them, and change their weights.' },
    { name: 'Events', description: 'Follow orders as they change. Not served on AWS.' },
    { name: 'Service', description: 'Reeve itself: workflows, health, activity, caller.' },
  ],
};
