/**
 * Lets requests take turns, so that a flood of them delays no health check and no order: Node would otherwise run all
 * requests that have arrived in one turn of the event loop.
 *
 * A request that is not completely received does not take a turn: its sender may be slow. It is served at once, as are
 * health checks, and event streams, which would never end their turn.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routes } from '#core/access/routes.ts';

/** Serves one request. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

type Waiting = readonly [IncomingMessage, ServerResponse];

/** @param atOnce requests that are served at the same time; each takes about a quarter of a millisecond, and a bulk submission some */
export function inTurns(serve: Serve, atOnce: number): Serve {
  let waiting: Waiting[] = [];
  let taken = 0;
  let busy = 0;
  let isDue = false;

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
    if (response.destroyed) return;
    if (request.complete) {
      const turns = turnsOf(request);
      busy += turns;
      response.once('close', () => {
        busy -= turns;
        look();
      });
    }
    serve(request, response);
  }

  function look(): void {
    if (isDue || taken === waiting.length) return;
    isDue = true;
    setImmediate(next);
  }

  return (request, response) => {
    if (isAtOnce(request.url ?? '')) {
      serve(request, response);
      return;
    }
    waiting.push([request, response]);
    // Later, because the body follows the headers.
    look();
  };
}

/** A bulk submission takes half of the default turns: one is written while the next one is read. */
const batchTurns = 8;

function turnsOf({ url = '' }: IncomingMessage): number {
  return pathOf(url) === routes.submitOrders.path ? batchTurns : 1;
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

function isAtOnce(url: string): boolean {
  const path = pathOf(url);
  return path === '/healthz' || path === '/readyz' || path.endsWith('/events');
}
