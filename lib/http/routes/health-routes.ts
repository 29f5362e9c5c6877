/** `GET /healthz`: whether Reeve works. `GET /readyz`: whether it may be given traffic. */
import { type Health, type HealthPorts, healthOf } from '#http/health.ts';
import { retryAfterSeconds } from '#http/problem.ts';
import type { HealthDocument } from '#http/service-schemas.ts';
import type { ApiRouter } from './api-router.ts';
import { serve } from './serve.ts';

export function healthRoute(app: ApiRouter, ports: HealthPorts): void {
  serve(app, 'showHealth', async (context) => {
    const now = await healthOf(ports);
    return now.works
      ? context.json(healthView(now), 200)
      : context.json(healthView(now), 503, retryAfter);
  });
}

export function readinessRoute(app: ApiRouter, ports: HealthPorts): void {
  serve(app, 'showReadiness', async (context) => {
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
