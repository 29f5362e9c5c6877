/** The API of a process that lives on between requests: events, activity and readiness besides the other routes. */
import { activityRoute } from '#http/routes/activity-route.ts';
import type { ApiRouter } from '#http/routes/api-router.ts';
import { eventRoutes } from '#http/routes/event-routes.ts';
import { readinessRoute } from '#http/routes/health-routes.ts';
import { api } from './api.ts';
import type { ProcessApiPorts } from './api-ports.ts';

export const processApi = (ports: ProcessApiPorts): ApiRouter =>
  api(ports, (app) => {
    eventRoutes(app, ports);
    activityRoute(app, ports);
    readinessRoute(app, ports);
  });
