/** The routes about Reeve itself: workflows, the caller, and the API description. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { authorised } from '#http/access/access.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { problemResponses } from '#http/problem.ts';
import { descriptionSchema, principalSchema, workflowsSchema } from '#http/service-schemas.ts';
import { workflowsView } from '#http/view.ts';

const workflowsRoute = createRoute({
  ...authorised('listWorkflows'),
  tags: ['Service'],
  summary: 'List workflows',
  description: 'Every version of every workflow that is known here, with its steps.',
  responses: {
    200: {
      description: 'Every version of every workflow.',
      content: { 'application/json': { schema: workflowsSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});

const principalRoute = createRoute({
  ...authorised('showPrincipal'),
  tags: ['Service'],
  summary: 'Get the caller',
  description: 'Name, role and tenant of the caller. The history of orders uses this name.',
  responses: {
    200: {
      description: 'The principal.',
      content: { 'application/json': { schema: principalSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});

const describeRoute = createRoute({
  ...authorised('describeApi'),
  tags: ['Service'],
  summary: 'Get this description',
  description: 'The OpenAPI document of this API, with the workflows that are known here.',
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document, with the workflows that are known here.',
      content: { 'application/json': { schema: descriptionSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});

export function serviceRoutes(app: OpenAPIHono, ports: ApiPorts): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', bearer);
  app.openapi(workflowsRoute, (context) => context.json(workflowsView(ports.registry), 200));
  app.openapi(principalRoute, (context) => context.json({ ...context.get('principal') }, 200));
  const names = [...new Set(ports.registry.all.map(({ name }) => name))];
  app.openapi(describeRoute, (context) => context.json(described(app, names), 200));
}

/** The security scheme; without configured tokens, no token is required. */
const bearer = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A token of REEVE_TOKENS, or of the OpenID provider on AWS, where callers may sign for IAM instead. `x-required-role` of an operation is the minimum role that may use it.',
} as const;

/** The OpenAPI description, with the workflows of this Reeve. */
function described(app: OpenAPIHono, workflows: readonly string[]) {
  const document = app.getOpenAPI31Document({
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
  });
  const submission = document.components?.schemas?.['Submission'] ?? {};
  const workflow = 'properties' in submission ? submission.properties?.['workflow'] : undefined;
  if (workflow !== undefined && 'type' in workflow) workflow.enum = [...workflows];
  return document;
}
