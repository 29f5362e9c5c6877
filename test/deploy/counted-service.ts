/** A service that takes a fixed time per call, that can be unavailable, and that counts its calls. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Loopback, onLoopback } from '../support/loopback.ts';

export interface CountedService extends Loopback {
  /** Calls so far, including those that it refused. */
  calls(): number;
  /** The most calls at once since it was last asked for. */
  concurrentMax(): number;
  /** How often each idempotency key was answered. */
  readonly answered: ReadonlyMap<string, number>;
  setDown(isDown: boolean): void;
}

/** @param callMs how long a call takes; one that is refused takes no time */
export async function countedService(callMs: number): Promise<CountedService> {
  const answered = new Map<string, number>();
  let isDown = false;
  let calls = 0;
  let concurrent = 0;
  let concurrentMax = 0;
  const server = createServer(async (incoming, response) => {
    const body = await json(incoming);
    calls += 1;
    concurrent += 1;
    concurrentMax = Math.max(concurrentMax, concurrent);
    if (!isDown) await sleep(callMs);
    concurrent -= 1;
    if (isDown) {
      response.writeHead(503).end();
      return;
    }
    const key = String(incoming.headers['idempotency-key']);
    answered.set(key, (answered.get(key) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return {
    ...(await onLoopback(server)),
    calls: () => calls,
    concurrentMax() {
      const most = concurrentMax;
      concurrentMax = concurrent;
      return most;
    },
    answered,
    setDown(next) {
      isDown = next;
    },
  };
}
