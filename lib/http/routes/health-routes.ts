/** `GET /healthz`: whether Reeve works. `GET /readyz`: whether it may be given traffic. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { authorised } from '#http/access/access.ts';
import { type Health, type HealthPorts, healthOf } from '#http/health.ts';
import { problemResponses, retryAfterHeader, retryAfterSeconds } from '#http/problem.ts';
import { type HealthDocument, healthSchema } from '#http/service-schemas.ts';

const content = { 'application/json': { schema: healthSchema } };

const health = createRoute({
  ...authorised('showHealth'),
  tags: ['Service'],
  summary: 'Get the health',
  description:
    'Whether Reeve works, also while it starts, and what it suffers from. 503 only for a fault of Reeve itself: no sweep was completed recently, stored data are damaged, or the store refuses writes. A service that is unavailable, and a load that is too high, are answered with 200.',
  responses: {
    200: { description: 'Reeve works.', content },
    503: { description: 'Reeve has a fault.', content, headers: retryAfterHeader },
    ...problemResponses(400),
  },
});

const readiness = createRoute({
  ...authorised('showReadiness'),
  tags: ['Service'],
  summary: 'Get the readiness',
  description:
    'Whether Reeve may be given traffic: not while it starts or stops, nor while the store refuses writes. An overloaded one may: it refuses what it cannot do, and knows when to try again.',
  responses: {
    200: { description: 'It may be given traffic.', content },
    503: { description: 'It may not.', content, headers: retryAfterHeader },
    ...problemResponses(400),
  },
});

export function healthRoute(app: OpenAPIHono, ports: HealthPorts): void {
  app.openapi(health, async (context) => {
    const now = await healthOf(ports);
    return now.works
      ? context.json(healthView(now), 200)
      : context.json(healthView(now), 503, retryAfter);
  });
}

export function readinessRoute(app: OpenAPIHono, ports: HealthPorts): void {
  app.openapi(readiness, async (context) => {
    const now = await healthOf(ports);
    return now.mayServe
      ? context.json(healthView(now), 200)
      : context.json(healthView(now), 503, retryAfter);
  });
}

const retryAfter = { 'retry-after': String(retryAfterSeconds) };

const healthView = ({ status, causes, lastSweepAt }: Health): HealthDocument => ({
  status,
  causes: [...causes],
  lastSweepAt: lastSweepAt === null ? null : new Date(lastSweepAt).toISOString(),
});
