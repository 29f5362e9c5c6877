/** `perform` and `undo` of every service: checks the request, simulates faults, asks the ledger. */
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { explain } from './explain.ts';
import type { Ledger, Performed, Verdict } from './ledger.ts';
import { fingerprint } from './request-digest.ts';
import { isServiceName, type ServiceName, services } from './services.ts';
import type { FaultPanel, Faults } from './supplier-faults.ts';
import { readJson, refuse, refuseService } from './supplier-replies.ts';
import { underFaults, type World } from './under-faults.ts';

const keySchema = z.string().min(1).max(255);
const undoSchema = z.object({ performKey: keySchema });

interface Arrival {
  readonly service: ServiceName;
  readonly faults: Faults;
  readonly key: string;
  readonly body: unknown;
}

export function serviceRoutes(ledger: Ledger, panel: FaultPanel, world: World): Hono {
  const routes = new Hono();

  routes.post('/:service/perform', async (c) => {
    const name = c.req.param('service');
    if (!isServiceName(name)) return refuseService(c, name);
    const arrival = await arrivalOf(c, name, panel.of(name));
    if (arrival instanceof Response) return arrival;
    return perform(c, ledger, world, arrival);
  });

  routes.post('/:service/undo', async (c) => {
    const name = c.req.param('service');
    if (!isServiceName(name)) return refuseService(c, name);
    if (!services[name].undoable) return refuse(c, 404, 'no-undo', `${name} cannot be undone`);
    const arrival = await arrivalOf(c, name, panel.of(name));
    if (arrival instanceof Response) return arrival;
    return undo(c, ledger, world, arrival);
  });

  return routes;
}

/** The checked parts of a request, or the response that refuses it. */
async function arrivalOf(
  c: Context,
  service: ServiceName,
  faults: Faults,
): Promise<Arrival | Response> {
  if (faults.down) return c.json({ code: 'down', message: `${service} is down` }, 503);
  const key = keySchema.safeParse(c.req.header('Idempotency-Key'));
  if (!key.success) {
    return refuse(
      c,
      400,
      'bad-request',
      'header Idempotency-Key: 1 to 255 characters are required',
    );
  }
  return { service, faults, key: key.data, body: await readJson(c) };
}

async function perform(
  c: Context,
  ledger: Ledger,
  world: World,
  { service, faults, key, body }: Arrival,
): Promise<Response> {
  const reading = services[service].read(body, key);
  if (reading.kind === 'refused') return refuse(c, 400, 'bad-request', reading.message);
  const { job } = reading;
  const call = { service, key, fingerprint: fingerprint(body), job };
  const verdict = (): Verdict =>
    world.random() < faults.declineRate
      ? { kind: 'declined', answer: declineOf(service) }
      : { kind: 'applied', answer: JSON.stringify(job.output) };
  return underFaults(
    faults,
    world,
    c.req.raw.signal,
    async () => replyTo(c, await ledger.perform(call, verdict)),
    () => transient(c, service),
  );
}

/** The body names the key of the perform, so the undo's own key need not be stored. */
async function undo(
  c: Context,
  ledger: Ledger,
  world: World,
  { service, faults, body }: Arrival,
): Promise<Response> {
  const input = undoSchema.safeParse(body);
  if (!input.success) return refuse(c, 400, 'bad-request', explain(input.error));
  return underFaults(
    faults,
    world,
    c.req.raw.signal,
    async () => c.json({ undone: await ledger.undo(service, input.data.performKey) }),
    () => transient(c, service),
  );
}

function replyTo(c: Context, performed: Performed): Response {
  switch (performed.kind) {
    case 'applied':
      return c.body(performed.answer, 200, { 'content-type': 'application/json' });
    case 'declined':
      return c.body(performed.answer, 422, { 'content-type': 'application/json' });
    case 'tombstoned':
      return refuse(c, 409, 'tombstoned', 'this key was undone; no perform can follow');
    case 'key-reused':
      return refuse(c, 422, 'key-reused', 'this key belongs to a request with another body');
  }
}

function declineOf(service: ServiceName): string {
  return JSON.stringify({
    code: 'declined',
    message: `${service} declined the request`,
    effect: 'none',
  });
}

/** Has no `effect`, because the effect may have happened. */
function transient(c: Context, service: ServiceName): Response {
  return c.json({ code: 'transient', message: `${service} failed, try again` }, 503);
}
