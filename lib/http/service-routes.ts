/** What the API says of Reeve itself: its workflows, its health, its own description. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { ApiPorts } from './api-ports.ts';
import { problemResponses, retryAfterHeader, retryAfterSeconds } from './problem.ts';
import { healthSchema, workflowsSchema } from './schemas.ts';
import { workflowsView } from './view.ts';

const workflowsRoute = createRoute({
  method: 'get',
  path: '/workflows',
  summary: 'The workflows that are known, with their steps',
  responses: {
    200: {
      description: 'Every version of every workflow.',
      content: { 'application/json': { schema: workflowsSchema } },
    },
    ...problemResponses(400, 401, 403),
  },
});

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  summary:
    'Whether Reeve works: also while it starts; degraded when the Supervisor has not swept of late, or stored data are damaged',
  responses: {
    200: {
      description: 'Works, and takes orders.',
      content: { 'application/json': { schema: healthSchema } },
    },
    503: {
      description: 'Degraded.',
      content: { 'application/json': { schema: healthSchema } },
      headers: retryAfterHeader,
    },
    ...problemResponses(400),
  },
});

export function serviceRoutes(app: OpenAPIHono, ports: ApiPorts): void {
  app.openapi(workflowsRoute, (context) => context.json(workflowsView(ports.registry), 200));
  app.openapi(healthRoute, async (context) => {
    const last = await ports.lastSweepAt();
    const late = last === null || ports.clock.now() - last > ports.sweepLateMs;
    const isDamaged = (ports.damaged?.() ?? 0) > 0;
    const lastSweepAt = last === null ? null : new Date(last).toISOString();
    return late || isDamaged
      ? context.json({ status: 'degraded' as const, lastSweepAt }, 503, {
          'retry-after': String(retryAfterSeconds),
        })
      : context.json({ status: ports.isStarting() ? 'starting' : 'ok', lastSweepAt }, 200);
  });
  const names = [...new Set(ports.registry.all.map(({ name }) => name))];
  app.get('/openapi.json', (context) => context.json(described(app, names)));
}

/** The description of the API, with the workflows that this one knows. */
function described(app: OpenAPIHono, workflows: readonly string[]) {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Reeve',
      version: '1',
      description:
        'Submits orders and follows them to their end. Errors are RFC 9457 problem documents with a stable code.',
    },
  });
  const submission = document.components?.schemas?.['Submission'] ?? {};
  const workflow = 'properties' in submission ? submission.properties?.['workflow'] : undefined;
  if (workflow !== undefined && 'type' in workflow) workflow.enum = [...workflows];
  return document;
}
