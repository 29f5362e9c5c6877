/** Server-sent events: the changes of all orders, or one order from its beginning. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { maySee, type Principal } from '#core/access/principal.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { authorised } from '#http/access/access.ts';
import { whileAllowed } from '#http/access/still-allowed.ts';
import type { ProcessApiPorts } from '#http/api-ports.ts';
import { problem, problemResponses, Refusal } from '#http/problem.ts';
import type { Follower } from './follower.ts';
import { type Followers, type Following, followers, type Scope } from './followers.ts';
import { type OrderEvents, orderEvents } from './order-events.ts';
import { knownForm, orderParam, unknownOrder } from './order-id.ts';

const stream = {
  description: 'Server-sent events.',
  content: { 'text/event-stream': { schema: z.string() } },
};

const eventsRoute = createRoute({
  ...authorised('followOrders'),
  tags: ['Events'],
  summary: 'Follow all orders',
  description:
    'Server-sent events: an `order` event for every change from now on. Under load only the latest change of each order is sent, and a `missed` event gives the number of orders left out. A `dropped` event ends the stream of a reader with too many unread events.',
  responses: { 200: stream, ...problemResponses(400, 401, 403, 503) },
});

const orderEventsRoute = createRoute({
  ...authorised('followOrder'),
  tags: ['Events'],
  summary: 'Follow one order',
  description:
    'Server-sent events: a `history` event for each entry so far, then every change until the order ends. A `dropped` event ends the stream of a reader with too many unread events.',
  request: { params: orderParam },
  responses: { 200: stream, ...problemResponses(400, 401, 403, 404, 503) },
});

/** The ports of the event routes. */
type EventPorts = Pick<ProcessApiPorts, 'store' | 'clock' | 'watch'>;

/** The followers of one scope share their events: those of one tenant, or those that see every tenant. */
const scopeOf = (principal: Principal): Scope => ({
  key: principal.tenant ?? '',
  has: (record) => maySee(principal, record),
});

export function eventRoutes(app: OpenAPIHono, ports: EventPorts): void {
  const eventsOf = orderEvents();
  const all = followers({ watch: ports.watch, clock: ports.clock, eventsOf });
  app.openapi(eventsRoute, (context) => {
    if (context.req.raw.method === 'HEAD') return streamed(context, null);
    const reader = taken(all, inScope(scopeOf(context.get('principal'))));
    whileAllowed(context, reader, ports.clock);
    return streamed(context, reader.body);
  });
  app.openapi(orderEventsRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const known = (await ports.store.records([orderId])).get(orderId);
    if (known === undefined || !maySee(context.get('principal'), known)) {
      throw unknownOrder(orderId);
    }
    if (context.req.raw.method === 'HEAD') return streamed(context, null);
    const seen = Number(context.req.header('last-event-id') ?? 0);
    const one = oneOrder(eventsOf, orderId, Number.isInteger(seen) ? seen : 0);
    const reader = taken(all, one);
    // Read after the follower is registered, so that no change is missed.
    const record = (await ports.store.records([orderId])).get(orderId);
    if (record !== undefined) one.begin(reader, record);
    whileAllowed(context, reader, ports.clock);
    return streamed(context, reader.body);
  });
}

function taken(all: Followers, following: Following): Follower {
  const reader = all.follow(following);
  if (reader !== null) return reader;
  const detail = `${all.count()} event streams are open, which is the maximum. Try again later.`;
  throw new Refusal(problem('followers-full', detail));
}

/** `body`: null for HEAD, which starts no follower. */
function streamed(context: Context, body: ReadableStream<Uint8Array> | null): Response {
  context.header('content-type', 'text/event-stream');
  context.header('cache-control', 'no-cache');
  return body === null ? context.body(null) : context.body(body);
}

const inScope = (scope: Scope): Following => ({
  orderId: null,
  take(to, round) {
    const bytes = round.in(scope);
    if (bytes.byteLength > 0) to.push(bytes);
  },
});

/** The history after entry number `seen`, then the changes until the order ends. */
function oneOrder(
  eventsOf: OrderEvents,
  orderId: OrderId,
  seen: number,
): Following & { begin(to: Follower, record: ProcessRecord): void } {
  let sent = seen;
  let revision = 0;
  const eventsSince = (record: ProcessRecord): readonly Uint8Array[] => {
    if (record.revision <= revision) return [];
    revision = record.revision;
    const events: Uint8Array[] = [];
    for (; sent < record.history.length; sent += 1) events.push(eventsOf.history(record, sent));
    return [...events, eventsOf.order(record)];
  };
  const endIfEnded = (to: Follower, { processState }: ProcessRecord) => {
    if (processState === 'Processed' || processState === 'Undone') to.end();
  };
  return {
    orderId,
    begin(to, record) {
      to.begin(eventsSince(record));
      endIfEnded(to, record);
    },
    take(to, round) {
      const record = round.latest(orderId);
      if (record === undefined) return;
      for (const event of eventsSince(record)) to.push(event);
      endIfEnded(to, record);
    },
  };
}
