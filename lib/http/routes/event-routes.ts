/** Server-sent events: the changes of all orders, or one order from its beginning. */
import type { Context } from 'hono';
import { maySee, type Principal } from '#core/access/principal.ts';
import { wholeNumber } from '#core/codec/whole-number.ts';
import { entryNumbers } from '#core/model/history.ts';
import type { OrderId } from '#core/model/ids.ts';
import { hasEnded, type ProcessRecord } from '#core/model/record.ts';
import { whileAllowed } from '#http/access/still-allowed.ts';
import type { ProcessApiPorts } from '#http/api-ports.ts';
import { problem, Refusal } from '#http/problem.ts';
import type { ApiRouter } from './api-router.ts';
import type { Follower } from './follower.ts';
import { type Followers, type Following, followers, type Scope } from './followers.ts';
import { endedId, type OrderEvents, orderEvents } from './order-events.ts';
import { knownForm, unknownOrder } from './order-id.ts';
import { serve } from './serve.ts';

/** The ports of the event routes. */
type EventPorts = Pick<ProcessApiPorts, 'store' | 'clock' | 'watch'>;

/** The principals of a tenant share its streams; any other principal has its own. */
const ownerOf = ({ tenant, name }: Principal): string =>
  tenant === null ? `principal ${name}` : `tenant ${tenant}`;

/** The followers of one scope share their events: those of one tenant, or those that see every tenant. */
const scopeOf = (principal: Principal): Scope => ({
  key: principal.tenant === null ? 'every tenant' : `tenant ${principal.tenant}`,
  has: (record) => maySee(principal, record),
});

export function eventRoutes(app: ApiRouter, ports: EventPorts): void {
  const eventsOf = orderEvents();
  const all = followers({ watch: ports.watch, clock: ports.clock, eventsOf });
  serve(app, 'followOrders', (context) => {
    if (context.req.raw.method === 'HEAD') return streamed(context, null);
    const reader = taken(all, inScope(context.get('principal')));
    whileAllowed(context, reader, ports.clock);
    return streamed(context, reader.body);
  });
  serve(app, 'followOrder', async (context) => {
    const orderId = knownForm(context.req.valid('param').id);
    const known = (await ports.store.records([orderId])).get(orderId);
    if (known === undefined || !maySee(context.get('principal'), known)) {
      throw unknownOrder(orderId);
    }
    const lastEventId = context.req.valid('header')['last-event-id'];
    // A browser requests the events again after the end of each stream, until the response is 204 (HTML Standard, server-sent events).
    if (lastEventId === endedId && hasEnded(known)) return context.body(null, 204);
    if (context.req.raw.method === 'HEAD') return streamed(context, null);
    const one = oneOrder(eventsOf, {
      orderId,
      owner: ownerOf(context.get('principal')),
      seen: seenEntries(lastEventId),
    });
    const reader = taken(all, one);
    try {
      // Read after the follower is registered, so that no change is missed.
      const record = (await ports.store.records([orderId])).get(orderId);
      if (record === undefined) throw unknownOrder(orderId);
      one.begin(reader, record);
    } catch (error) {
      reader.end();
      throw error;
    }
    whileAllowed(context, reader, ports.clock);
    return streamed(context, reader.body);
  });
}

function taken(all: Followers, following: Following): Follower {
  const reader = all.follow(following);
  if (reader !== null) return reader;
  const detail = `Too many event streams are open, ${all.count(following.owner)} of them by you or your tenant. Close some, or try again later.`;
  throw new Refusal(problem('followers-full', detail));
}

/** `body`: null for HEAD, which starts no follower. */
function streamed(context: Context, body: ReadableStream<Uint8Array> | null): Response {
  context.header('content-type', 'text/event-stream');
  context.header('cache-control', 'no-cache');
  // The way to tell nginx, and proxies that follow it, not to hold events back until a buffer is full.
  context.header('x-accel-buffering', 'no');
  return body === null ? context.body(null) : context.body(body);
}

function inScope(principal: Principal): Following {
  const scope = scopeOf(principal);
  return {
    orderId: null,
    owner: ownerOf(principal),
    take(to, round) {
      const bytes = round.in(scope);
      if (bytes.byteLength > 0) to.push(bytes);
    },
  };
}

/** The number of the last entry that a reader has; 0 for a text that no event had as its id. */
const seenEntries = (lastEventId: string | undefined): number =>
  entryNumber.safeParse(lastEventId).data ?? 0;

const entryNumber = wholeNumber(0, 999_999_999);

/** The history after entry number `seen`, then the changes until the order ends. */
function oneOrder(
  eventsOf: OrderEvents,
  { orderId, owner, seen }: { orderId: OrderId; owner: string; seen: number },
): Following & { begin(to: Follower, record: ProcessRecord): void } {
  let sent = seen;
  let revision = 0;
  const eventsSince = (record: ProcessRecord): readonly Uint8Array[] => {
    if (record.revision <= revision) return [];
    revision = record.revision;
    const { history } = record;
    const numberOf = entryNumbers(history);
    const latest = numberOf(history.length - 1);
    // An id that is none of this history: the latest entry is new.
    if (sent > latest) sent = latest - 1;
    const seen = history.findLastIndex((_, place) => numberOf(place) <= sent);
    sent = latest;
    const events = history
      .slice(seen + 1)
      .map((_, at) => eventsOf.history(record, seen + 1 + at, numberOf(seen + 1 + at)));
    return [...events, hasEnded(record) ? eventsOf.ended(record) : eventsOf.order(record)];
  };
  const endIfEnded = (to: Follower, record: ProcessRecord) => {
    if (hasEnded(record)) to.end();
  };
  return {
    orderId,
    owner,
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
