/** The API: one router for Node and for Lambda. Routes check and translate; roles decide. */
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { routes } from '#core/access/routes.ts';
import { cutText } from '#core/codec/cut-text.ts';
import { ReeveError } from '#core/model/errors.ts';
import { accessLog } from '#http/access/access-log.ts';
import { guard } from '#http/access/guard.ts';
import { limitedBody } from '#http/requests/json-body.ts';
import { knownParameters } from '#http/requests/known-parameters.ts';
import { agentRoutes } from '#http/routes/agent-routes.ts';
import type { ApiRouter } from '#http/routes/api-router.ts';
import { batchRoute } from '#http/routes/batch-route.ts';
import { healthRoute } from '#http/routes/health-routes.ts';
import { operatorRoutes } from '#http/routes/operator-routes.ts';
import { orderRoutes } from '#http/routes/order-routes.ts';
import { serviceRoutes } from '#http/routes/service-routes.ts';
import type { ApiPorts } from './api-ports.ts';
import { faultProblem, logFault } from './fault-problem.ts';
import { problem, Refusal, respondProblem } from './problem.ts';

/** @param addRoutes adds those that this Reeve has besides; none on AWS */
export function api(ports: ApiPorts, addRoutes: (app: ApiRouter) => void = () => {}): ApiRouter {
  const app: ApiRouter = new Hono();
  if (ports.accessLog !== null) app.use(accessLog(ports.accessLog));
  app.use(guard(ports.guard));
  app.use(limitedBody());
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  // Another method would be taken for one of an order with the id `batch`, which no order has.
  app.use(routes.submitOrders.path, async (context, next) =>
    context.req.method === 'POST' ? next() : refuseMethod(context, ['POST']),
  );
  app.use(knownParameters);
  orderRoutes(app, ports);
  batchRoute(app, ports);
  operatorRoutes(app, ports);
  agentRoutes(app, ports);
  addRoutes(app);
  serviceRoutes(app, ports);
  healthRoute(app, ports);
  app.notFound((context) =>
    respondProblem(
      context,
      problem(
        'route-unknown',
        `There is no ${context.req.method} ${cutText(context.req.path, 200)}.`,
      ),
    ),
  );
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      return respondProblem(context, error.problem, error.retryAfterSeconds);
    }
    if (error instanceof ReeveError && error.code === 'cursor-invalid') {
      return respondProblem(context, problem('cursor-invalid', error.message));
    }
    logFault(ports.log, context.req.routePath, error);
    return respondProblem(context, faultProblem(error));
  });
  return app;
}

function refuseMethod(context: Context, methods: readonly string[]): Response {
  const allow = methods.join(', ');
  context.header('allow', allow);
  const detail = `${context.req.method} is not allowed here. Allowed methods: ${allow}.`;
  return respondProblem(context, problem('method-not-allowed', detail));
}
