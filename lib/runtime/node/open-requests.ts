/**
 * The requests that a server has received and not answered yet. The order of one may be stored already: a client without an idempotency
 * key whose connection is cut off does not know. So a server that closes answers them first.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Nearly all answers take some milliseconds, and the parts of the process that are closed afterwards need time, too. */
const withinMsDefault = 500;

/** See {@link openRequests}. */
export interface OpenRequests {
  /** Resolves when each request that was completely received is answered, or the time has passed. */
  answered(): Promise<void>;
}

/**
 * Call before the server listens.
 *
 * @param isEndless whether the answer to a request has no end, such as a stream of events: it is not waited for
 * @param withinMs the time for all answers, ms; default half a second
 */
export function openRequests(
  server: Server,
  isEndless: (request: IncomingMessage) => boolean,
  withinMs = withinMsDefault,
): OpenRequests {
  const open = new Map<ServerResponse, IncomingMessage>();
  let isClosing = false;
  let look = () => {};
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    open.set(response, request);
    response.once('close', () => {
      open.delete(response);
      look();
    });
    if (isClosing) response.shouldKeepAlive = false;
  });
  const isAwaited = (request: IncomingMessage) => request.complete && !isEndless(request);
  return {
    async answered() {
      isClosing = true;
      // Otherwise a client that asks again and again would be cut off amid one of its requests.
      for (const response of open.keys()) response.shouldKeepAlive = false;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      look = () => {
        if (![...open.values()].some(isAwaited)) resolve();
      };
      look();
      await promise;
      clearTimeout(timer);
    },
  };
}
