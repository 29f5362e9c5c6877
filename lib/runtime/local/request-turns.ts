/**
 * Lets requests take turns, so that a flood of them delays no health check and no order: Node would otherwise run all
 * requests that have arrived in one turn of the event loop.
 *
 * A turn ends when the response is made, and not when its client has read it: a client that reads nothing must not hold
 * turns. The next request of a connection waits until the previous response is written out, so that at most one unread
 * response of each connection is in memory. A connection whose client sends too many requests in advance is closed: Node
 * parses all that arrive, and stops to read only while responses wait to be written.
 *
 * A request that is not completely received does not take a turn: its sender may be slow. It is served at once, as are
 * health checks, and event streams, which would never end their turn. But only so many are served at once, because each holds a part
 * of its body, and all may be completed in one turn of the event loop: further ones wait until one of them has ended, or until they
 * are complete themselves and can take a turn. Health checks and event streams are exempt because they have no body: with another
 * method, which is refused, their paths have no such right.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { routes } from '#core/access/routes.ts';
import { setImmediate } from '#event-loop/turns.ts';

/** Serves one request; resolves when the response is made, whether or not the client has read it. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Requests of a connection that wait for their predecessors: far more than clients send in advance, and some 200 KB. The chunk in
 * which the last of them arrives is parsed to its end.
 */
const waitingMax = 100;

/** Requests that are not completely received and are served: with bodies of bulk submissions they hold 256 MB at most. */
const incompleteMax = 256;

type Waiting = readonly [IncomingMessage, ServerResponse];

/**
 * @param atOnce requests that are served at the same time; each takes about a quarter of a millisecond, and a bulk submission some
 * @param incompleteAtOnce those besides that are not completely received
 */
export function inTurns(
  serve: Serve,
  atOnce: number,
  incompleteAtOnce = incompleteMax,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** The first request of each connection. */
  let waiting: Waiting[] = [];
  let taken = 0;
  let busy = 0;
  let isDue = false;
  const slow = slowRequests(incompleteAtOnce, enqueue);
  /** The further requests of the connections that have one which waits or is served. */
  const behind = new WeakMap<Socket, Waiting[]>();

  function next(): void {
    isDue = false;
    while (busy < atOnce && taken < waiting.length) {
      const pair = waiting[taken];
      taken += 1;
      if (pair !== undefined) begin(...pair);
    }
    // Dropped in bulk, because each shift of a long array moves all of it.
    if (taken === waiting.length || taken > 1_000) {
      waiting = waiting.slice(taken);
      taken = 0;
    }
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    // With its connection: no request behind it is served either.
    if (response.destroyed || request.socket.destroyed) return void slow.next();
    if (!request.complete && slow.isFull()) return void slow.wait([request, response]);
    response.once('close', () => advance(request.socket));
    const end = request.complete ? ofTurns(turnsOf(request)) : slow.begin();
    slow.next();
    const closed = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    // A client that has left ends its turn, also while the request is still carried out.
    void Promise.race([serve(request, response), closed]).then(end, end);
  }

  function ofTurns(turns: number): () => void {
    busy += turns;
    return () => {
      busy -= turns;
      look();
    };
  }

  /** The response is written out: the connection may have its next one. */
  function advance(connection: Socket): void {
    const own = behind.get(connection);
    const pair = own?.shift();
    if (pair === undefined) behind.delete(connection);
    else enqueue(pair);
  }

  function enqueue(pair: Waiting): void {
    waiting.push(pair);
    // Later, because the body follows the headers.
    look();
  }

  function look(): void {
    if (isDue || taken === waiting.length) return;
    isDue = true;
    setImmediate(next);
  }

  return (request, response) => {
    if (isAtOnce(request)) {
      void serve(request, response);
      return;
    }
    const own = behind.get(request.socket);
    if (own !== undefined) {
      // HTTP lets a server close a connection at any time; its client repeats what was not answered.
      if (own.length === waitingMax) request.socket.destroy();
      else own.push([request, response]);
      return;
    }
    behind.set(request.socket, []);
    enqueue([request, response]);
  };
}

const isStillSlow = ([request]: Waiting) => !request.complete && !request.socket.destroyed;
/** Requests that wait until they are complete are looked at so often, ms. */
const watchEveryMs = 50;

/** Requests that are not completely received. `enqueue`: called with one that waited, which may be complete by now, or have no sender. */
function slowRequests(atOnce: number, enqueue: (pair: Waiting) => void) {
  let waiting: Waiting[] = [];
  let served = 0;
  let isWatched = false;

  /** Those that have become complete, or have lost their senders, wait no longer. */
  function watch(): void {
    if (isWatched || waiting.length === 0) return;
    isWatched = true;
    const timer = setTimeout(() => {
      isWatched = false;
      const all = waiting;
      waiting = all.filter(isStillSlow);
      for (const pair of all) if (!isStillSlow(pair)) enqueue(pair);
      watch();
    }, watchEveryMs);
    timer.unref();
  }

  function next(): void {
    const pair = served < atOnce ? waiting.shift() : undefined;
    if (pair !== undefined) enqueue(pair);
  }
  return {
    isFull: () => served >= atOnce,
    wait(pair: Waiting) {
      waiting.push(pair);
      watch();
    },
    /** Returns what is to be called at its end. */
    begin() {
      served += 1;
      return () => {
        served -= 1;
        next();
      };
    },
    next,
  };
}

/** A bulk submission takes half of the default turns: one is written while the next one is read. */
const batchTurns = 8;

function turnsOf({ url = '' }: IncomingMessage): number {
  return pathOf(url) === routes.submitOrders.path ? batchTurns : 1;
}

/** As the router reads it, for which `%62atch` is `batch`. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Event streams last, and their number is bounded elsewhere. */
const isStream = (path: string) => path === '/events' || /^\/orders\/[^/]+\/events$/.test(path);

/** Whether the request asks for a stream of events, which has no end. */
export const isStreamRequest = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && isStream(pathOf(url));

function isAtOnce({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const path = pathOf(url);
  return path === '/healthz' || path === '/readyz' || isStream(path);
}
