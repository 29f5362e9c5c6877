/** The HTTP API of the simulated suppliers: the services, their faults, their effect ledger. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Ledger } from './ledger.ts';
import { isServiceName } from './services.ts';
import type { FaultPanel } from './supplier-faults.ts';
import { readJson, refuse, refuseService } from './supplier-replies.ts';
import { serviceRoutes } from './supplier-routes.ts';
import type { World } from './under-faults.ts';

const BODY_BYTES_MAX = 256 * 1024;

/** @param hosts the accepted values of the `Host` header */
export function suppliersApp(
  ledger: Ledger,
  panel: FaultPanel,
  world: World,
  hosts: ReadonlySet<string>,
): Hono {
  const app = new Hono();

  // Against DNS rebinding: a web page of another site could otherwise call these services by a name of its own.
  app.use((c, next) => {
    if (hosts.has(c.req.header('host') ?? '')) return next();
    const served = [...hosts].join(', ');
    return Promise.resolve(
      refuse(c, 403, 'host-forbidden', `the Host header must be one of ${served}`),
    );
  });
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError: (c) => refuse(c, 413, 'too-large', `a body has at most ${BODY_BYTES_MAX} bytes`),
    }),
  );
  app.get('/healthz', (c) => c.json({ status: 'ok', service: 'suppliers' }));
  app.get('/faults', (c) => c.json(panel.all()));
  app.put('/faults/:service', async (c) => {
    const name = c.req.param('service');
    if (!isServiceName(name)) return refuseService(c, name);
    const change = panel.change(name, await readJson(c));
    if (change.kind === 'refused') return refuse(c, 400, 'bad-request', change.message);
    return c.json(change.faults);
  });
  app.delete('/faults', (c) => {
    panel.reset();
    return c.json(panel.all());
  });
  app.get('/ledger', (c) => c.json({ entries: ledger.entries(c.req.query('orderId')) }));
  app.get('/ledger/summary', (c) => c.json(ledger.summary()));
  app.route('/', serviceRoutes(ledger, panel, world));

  app.notFound((c) => refuse(c, 404, 'not-found', `there is no ${c.req.method} ${c.req.path}`));
  app.onError((error, c) => c.json({ code: 'internal', message: error.message }, 500));
  return app;
}
