/** A service that takes a fixed time per call, and says when its calls began, arrived and ended. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** One call. Instants are ms since the epoch. */
export interface TimedCall {
  readonly tenant: string;
  /** The order and its step: the same for a call that is repeated. */
  readonly key: string;
  /** When its agent began it. */
  readonly begunAt: number;
  readonly arrivedAt: number;
  readonly endedAt: number;
}

export interface TimedService {
  readonly url: string;
  /** Those that have ended. */
  readonly calls: readonly TimedCall[];
  close(): void;
}

const body = z.object({ tenant: z.string() });

/** @param callMs how long a call takes */
export async function timedService(callMs: number): Promise<TimedService> {
  const calls: TimedCall[] = [];
  const server = createServer(async (incoming, response) => {
    const arrivedAt = Date.now();
    const { 'begun-at': begun, 'idempotency-key': key } = incoming.headers;
    const given = await json(incoming);
    await sleep(callMs);
    const times = { begunAt: Number(begun), arrivedAt, endedAt: Date.now() };
    calls.push({ tenant: body.parse(given).tenant, key: String(key), ...times });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
