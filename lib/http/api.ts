/** The API: one router for Node and for Lambda. Routes check and translate; roles decide. */
import { OpenAPIHono } from '@hono/zod-openapi';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { ReeveError, UnavailableError } from '#core/model/errors.ts';
import { accessLog } from '#http/access/access-log.ts';
import { guard } from '#http/access/guard.ts';
import { limitedBody } from '#http/requests/json-body.ts';
import { knownParameters } from '#http/requests/known-parameters.ts';
import { validationProblem } from '#http/requests/validation.ts';
import { agentRoutes } from '#http/routes/agent-routes.ts';
import { healthRoute } from '#http/routes/health-routes.ts';
import { operatorRoutes } from '#http/routes/operator-routes.ts';
import { orderRoutes } from '#http/routes/order-routes.ts';
import { serviceRoutes } from '#http/routes/service-routes.ts';
import type { ApiPorts } from './api-ports.ts';
import { problem, Refusal, respondProblem } from './problem.ts';

const fullDetail =
  'Nothing was written, and no accepted order is lost. Try again when the disk has free space: Reeve then continues without further action.';

/** @param addRoutes adds those that this Reeve has besides; none on AWS */
export function api(
  ports: ApiPorts,
  addRoutes: (app: OpenAPIHono) => void = () => {},
): OpenAPIHono {
  const app = new OpenAPIHono({
    defaultHook: (result, context) =>
      result.success ? undefined : respondProblem(context, validationProblem(result)),
  });
  if (ports.accessLog !== null) app.use(accessLog(ports.accessLog));
  app.use(guard(ports.guard));
  app.use(limitedBody());
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed(context, methods) {
        const allow = methods.join(', ');
        context.header('allow', allow);
        const detail = `${context.req.method} is not allowed here. Allowed methods: ${allow}.`;
        return respondProblem(context, problem('method-not-allowed', detail));
      },
    }),
  );
  app.use(knownParameters(app));
  for (const path of ['/orders', '/orders/:id', '/workflows', '/activity']) app.use(path, etag());
  orderRoutes(app, ports);
  operatorRoutes(app, ports);
  agentRoutes(app, ports);
  addRoutes(app);
  serviceRoutes(app, ports);
  healthRoute(app, ports);
  app.notFound((context) =>
    respondProblem(
      context,
      problem('route-unknown', `There is no ${context.req.method} ${context.req.path}.`),
    ),
  );
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      return respondProblem(context, error.problem, error.retryAfterSeconds);
    }
    if (error instanceof HTTPException && error.status === 400) {
      return respondProblem(context, problem('json-malformed', 'The body is not valid JSON.'));
    }
    if (error instanceof ReeveError && error.code === 'cursor-invalid') {
      return respondProblem(context, problem('cursor-invalid', error.message));
    }
    ports.log.error('request-failed', {
      route: context.req.routePath,
      error: error.name,
      reason: error instanceof ReeveError ? error.message : null,
    });
    if (error instanceof UnavailableError && error.code === 'store-full') {
      return respondProblem(context, problem('store-full', fullDetail));
    }
    return error instanceof UnavailableError
      ? respondProblem(context, problem('unavailable', 'Try again: nothing was lost.'))
      : respondProblem(context, problem('internal', 'The log of Reeve contains the cause.'));
  });
  return app;
}
