/** Server-sent events: all orders as they change, or one order from its beginning. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { OrderId } from '#core/ids.ts';
import type { ProcessRecord } from '#core/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { ApiPorts, Watch } from './api-ports.ts';
import { knownForm, orderParam, unknownOrder } from './order-id.ts';
import { problemResponses } from './problem.ts';
import { historyView } from './view.ts';

/** A reader this far behind is cut off; it comes back and goes on from its last event. */
const backlogMax = 1_000;
/** So that proxies keep a quiet connection open, ms. */
const keepAliveMs = 15_000;

const stream = {
  description: 'Server-sent events.',
  content: { 'text/event-stream': { schema: z.string() } },
};

const eventsRoute = createRoute({
  method: 'get',
  path: '/events',
  summary: 'Follow all orders: an `order` event for every change, from now on',
  responses: { 200: stream, ...problemResponses(400, 401, 403, 503) },
});

const orderEventsRoute = createRoute({
  method: 'get',
  path: '/orders/{id}/events',
  summary: 'Follow one order: its `history` so far, then every change, until its end',
  request: { params: orderParam },
  responses: { 200: stream, ...problemResponses(400, 401, 403, 404, 503) },
});

/** What following needs. */
type EventPorts = Pick<ApiPorts, 'store' | 'clock'> & { readonly watch: Watch };

export function eventRoutes(app: OpenAPIHono, ports: EventPorts): void {
  app.openapi(eventsRoute, (context) =>
    streamSSE(context, (events) =>
      follow(events, ports, {
        wanted: () => true,
        catchUp: async () => {},
        show: (record) =>
          events.writeSSE({ event: 'order', data: JSON.stringify(changeView(record)) }),
      }),
    ),
  );
  app.openapi(orderEventsRoute, async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const known = await ports.store.records([orderId]);
    if (!known.has(orderId)) throw unknownOrder(orderId);
    const seen = Number(context.req.header('last-event-id') ?? 0);
    return streamSSE(context, (events) =>
      follow(events, ports, oneOrder(events, ports, orderId, Number.isInteger(seen) ? seen : 0)),
    );
  });
}

interface Following {
  wanted(record: ProcessRecord): boolean;
  /** Shows what was before; called once, after watching has begun, so that nothing falls between. */
  catchUp(): Promise<void>;
  show(record: ProcessRecord): Promise<void>;
}

/** The history after entry number `seen`, then what happens, until the order's end. */
function oneOrder(
  events: SSEStreamingApi,
  ports: EventPorts,
  orderId: OrderId,
  seen: number,
): Following {
  let sent = seen;
  let revision = 0;
  const show = async (record: ProcessRecord) => {
    if (record.revision <= revision) return;
    revision = record.revision;
    for (const [at, entry] of record.history.entries()) {
      if (at < sent) continue;
      const data = JSON.stringify(historyView(entry));
      await events.writeSSE({ event: 'history', id: String(at + 1), data });
    }
    sent = Math.max(sent, record.history.length);
    await events.writeSSE({ event: 'order', data: JSON.stringify(changeView(record)) });
    const { processState } = record;
    if (processState === 'Processed' || processState === 'Undone') await events.close();
  };
  return {
    wanted: (record) => record.orderId === orderId,
    show,
    async catchUp() {
      const record = (await ports.store.records([orderId])).get(orderId);
      if (record !== undefined) await show(record);
    },
  };
}

/** Hands on records one after the other, as fast as the reader takes them, until it goes away. */
async function follow(
  events: SSEStreamingApi,
  ports: EventPorts,
  { wanted, catchUp, show }: Following,
): Promise<void> {
  const backlog: ProcessRecord[] = [];
  let wake: () => void = () => {};
  let overrun = false;
  const stop = ports.watch((record) => {
    if (!wanted(record)) return;
    overrun ||= backlog.length >= backlogMax;
    if (!overrun) backlog.push(record);
    wake();
  });
  events.onAbort(() => wake());
  try {
    await catchUp();
    while (!events.aborted && !events.closed && !overrun) {
      const record = backlog.shift();
      if (record !== undefined) await show(record);
      else if (!(await quiet(ports.clock, (resume) => (wake = resume))))
        await events.write(':\n\n');
    }
  } finally {
    stop();
  }
}

/** Waits to be woken; false when only the time passed. */
async function quiet(clock: Clock, onWake: (wake: () => void) => void): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  onWake(() => resolve(true));
  const cancel = clock.after(keepAliveMs, () => resolve(false));
  const woken = await promise;
  cancel();
  return woken;
}

function changeView(record: ProcessRecord) {
  const { orderId, workflow, revision, processState, direction, fault } = record;
  const last = record.history.at(-1);
  return {
    orderId,
    workflow,
    revision,
    processState,
    direction,
    fault,
    last: last === undefined ? null : historyView(last),
    steps: Object.fromEntries(record.steps.map(({ name, progress }) => [name, progress.state])),
  };
}
