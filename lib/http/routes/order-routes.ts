/** Orders: submit, show, list. */
import { maySee } from '#core/access/principal.ts';
import { tenantOf } from '#http/access/access.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { weakTag } from '#http/entity-tag.ts';
import { listedView, orderView } from '#http/view.ts';
import { ordersOf } from '#roles/orders-of.ts';
import { search } from '#roles/search.ts';
import type { ApiRouter } from './api-router.ts';
import { listingCursor } from './listing-cursor.ts';
import { knownForm, unknownOrder } from './order-id.ts';
import { serve } from './serve.ts';
import { locationOf, refusalOf, requestOf } from './submission-answers.ts';

export function orderRoutes(app: ApiRouter, ports: ApiPorts): void {
  serve(app, 'submitOrder', async (context) => {
    const principal = context.get('principal');
    const key = context.req.valid('header')['idempotency-key'];
    const request = requestOf(principal, context.req.valid('json'), key);
    const outcome = await ports.submission.submit(request, principal.name);
    if (outcome.kind !== 'accepted') throw refusalOf(outcome, request, ports.clock.now());
    const { orderId, processState, skipped } = outcome;
    context.set('submitted', orderId);
    const location = { location: locationOf(orderId) };
    return skipped === true
      ? context.json({ orderId, processState, skipped }, 200, location)
      : context.json({ orderId, processState }, 202, location);
  });
  serve(app, 'listOrders', async (context) => {
    const { state, correlationId, limit, cursor, ...rest } = context.req.valid('query');
    const { workflow, agent, step, fault, held, tenant, since, before } = rest;
    const ofTenant = tenantOf(context.get('principal'), tenant);
    const asOf = new Date(ports.clock.now()).toISOString();
    const states = {
      processState: state ?? null,
      ...(correlationId !== undefined && { correlationId }),
    };
    const filter = {
      ...(workflow !== undefined && { workflow }),
      ...(agent !== undefined && { agent }),
      ...(step !== undefined && { step }),
      ...(fault !== undefined && { fault }),
      ...(held !== undefined && { held: true as const }),
      ...(ofTenant !== null && { tenant: ofTenant }),
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(before !== undefined && { before: Date.parse(before) }),
    };
    const cursors = await listingCursor({ ...states, ...filter });
    const query = { ...states, limit, cursor: cursors.read(cursor) };
    const page = await search(ports.store, query, filter);
    const next = cursors.written(page.cursor);
    const orders = page.items.map(listedView);
    context.header('etag', await weakTag({ orders, cursor: next }));
    return context.json({ orders, cursor: next, asOf }, 200);
  });
  serve(app, 'showOrder', async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const record = (await ports.store.records([orderId])).get(orderId);
    // For the order of another tenant, the response must not reveal that the order exists, not even by an error of the next read.
    if (record === undefined || !maySee(context.get('principal'), record)) {
      throw unknownOrder(orderId);
    }
    const order = (await ordersOf(ports.store, [record])).get(orderId);
    if (order === undefined) throw unknownOrder(orderId);
    return context.json(orderView(record, order, ports.registry), 200);
  });
}
