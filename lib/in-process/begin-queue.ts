/**
 * The attempts of one agent that have begun, and the few that wait for one of them to end: a higher class first, because
 * they have been sent by their shares already, and all of them begin.
 */
import { isTooLate } from '#core/flow/late-begin.ts';
import type { Request } from '#core/model/message.ts';
import { type Priority, priorities } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';

/** See {@link beginQueue}. */
export interface BeginQueue {
  /** Resolves to true when the attempt may begin, which must then `end`; to false when it would begin too late. */
  turn(request: Request): boolean | Promise<boolean>;
  end(request: Request): void;
  /** How many more requests than `concurrency` may be sent, because they would hardly wait. */
  ahead(): number;
  close(): void;
}

/** An attempt waits in the queue at most for this part of its time. */
const waitMax = 0.1;
/**
 * How long attempts may be expected to wait in the queue, ms. A hold costs two writes, so that it is not worth it for less; and a
 * tenth of the shortest deadline is 5 ms.
 */
const aheadMs = 5;
/**
 * The mean duration of calls is that of the last second. Calls that end together weigh as one: a pause of the process ends
 * all of them late, and says nothing of the service.
 */
const meanOverMs = 1_000;
/** While no call begins or ends for so long, ms, the mean says nothing of the next end: the calls may hang. */
const movesWithinMs = 10 * aheadMs;
/** The weight of one end, at most. */
const shareMax = 0.1;

interface Queued {
  readonly begin: () => void;
  readonly cancel: () => void;
}

/** Makes the queue of an agent that makes `concurrency` calls at once. */
export function beginQueue(concurrency: number, clock: Clock): BeginQueue {
  const begun = new Map<Request, number>();
  const queued: Readonly<Record<Priority, Set<Queued>>> = {
    high: new Set(),
    normal: new Set(),
    low: new Set(),
  };
  let meanMs = 0;
  let lastEndAt = 0;
  let lastBeginAt = 0;

  function begin(request: Request): true {
    lastBeginAt = clock.now();
    begun.set(request, lastBeginAt);
    return true;
  }

  function inTurn(request: Request): Promise<boolean> {
    const { completeBy, completeWithinMs, priority } = request;
    const own = queued[priority];
    const waitMs = Math.ceil(completeBy - completeWithinMs * (1 - waitMax)) - clock.now();
    return new Promise((resolve) => {
      const entry: Queued = {
        begin() {
          entry.cancel();
          own.delete(entry);
          resolve(begin(request));
        },
        cancel: clock.after(Math.max(0, waitMs), () => {
          own.delete(entry);
          resolve(false);
        }),
      };
      own.add(entry);
    });
  }

  function next(): Queued | undefined {
    for (const each of priorities) {
      // The end of each call comes here.
      if (queued[each].size === 0) continue;
      const first = queued[each].values().next().value;
      if (first !== undefined) return first;
    }
    return undefined;
  }

  return {
    turn(request) {
      if (isTooLate(request, clock.now())) return false;
      return begun.size < concurrency ? begin(request) : inTurn(request);
    },
    end(request) {
      const from = begun.get(request);
      if (from === undefined) return;
      begun.delete(request);
      const nowMs = clock.now();
      const share = Math.max(0, Math.min(shareMax, (nowMs - lastEndAt) / meanOverMs));
      meanMs += (Math.max(0, nowMs - from) - meanMs) * share;
      lastEndAt = nowMs;
      next()?.begin();
    },
    ahead() {
      const lastMoveAt = Math.max(lastBeginAt, lastEndAt);
      if (begun.size >= concurrency && clock.now() - lastMoveAt > movesWithinMs) return 0;
      return Math.floor(concurrency * Math.min(1, aheadMs / Math.max(1, meanMs)));
    },
    close() {
      for (const each of priorities) for (const { cancel } of queued[each]) cancel();
    },
  };
}
