/** A service that takes a fixed time per call, and says when its calls began, arrived and ended. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Loopback, onLoopback } from '../../support/loopback.ts';

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

export interface TimedService extends Loopback {
  /** Those that have ended. */
  readonly calls: readonly TimedCall[];
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
  });
  return { calls, ...(await onLoopback(server)) };
}
