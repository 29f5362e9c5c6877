/** The attempts of one agent that have begun, and the few that wait for one of them to end. */
import type { Request } from '#core/model/message.ts';
import type { Clock } from '#ports/clock.ts';
import { isTooLate } from './circuit-breaker.ts';

/** See {@link beginLine}. */
export interface BeginLine {
  /** Resolves to true when the attempt may begin, which must then `end`; to false when it would begin too late. */
  turn(request: Request): boolean | Promise<boolean>;
  end(request: Request): void;
  /** How many more attempts than `callsMax` may be sent, because they would hardly wait. */
  ahead(): number;
  close(): void;
}

/** An attempt waits in line at most for this part of its time. */
const waitMax = 0.1;
/**
 * How long attempts may be expected to wait in line, ms. A hold costs two writes, so that it is not worth it for less; and a
 * tenth of the shortest deadline is 5 ms.
 */
const aheadMs = 5;
/**
 * The mean duration of calls is that of the last second. Calls that end together weigh as one: a pause of the process ends
 * all of them late, and says nothing of the service.
 */
const meanOverMs = 1_000;
/** The weight of one end, at most. */
const shareMax = 0.1;

interface InLine {
  readonly begin: () => void;
}

/** Makes the line of an agent that makes `callsMax` calls at once. */
export function beginLine(callsMax: number, clock: Clock): BeginLine {
  const begun = new Map<Request, number>();
  const inLine = new Set<InLine>();
  const cancels = new Set<() => void>();
  let meanMs = 0;
  let lastEndAt = 0;

  function begin(request: Request): true {
    begun.set(request, clock.now());
    return true;
  }

  function inTurn(request: Request): Promise<boolean> {
    const { completeBy, completeWithinMs } = request;
    const waitMs = Math.ceil(completeBy - completeWithinMs * (1 - waitMax)) - clock.now();
    return new Promise((resolve) => {
      const leave = () => {
        cancel();
        cancels.delete(cancel);
        inLine.delete(own);
      };
      const own = {
        begin() {
          leave();
          resolve(begin(request));
        },
      };
      const cancel = clock.after(Math.max(0, waitMs), () => {
        leave();
        resolve(false);
      });
      cancels.add(cancel);
      inLine.add(own);
    });
  }

  return {
    turn(request) {
      if (isTooLate(request, clock.now())) return false;
      return begun.size < callsMax ? begin(request) : inTurn(request);
    },
    end(request) {
      const from = begun.get(request);
      if (from === undefined) return;
      begun.delete(request);
      const nowMs = clock.now();
      const share = Math.max(0, Math.min(shareMax, (nowMs - lastEndAt) / meanOverMs));
      meanMs += (Math.max(0, nowMs - from) - meanMs) * share;
      lastEndAt = nowMs;
      inLine.values().next().value?.begin();
    },
    ahead() {
      return Math.floor(callsMax * Math.min(1, aheadMs / Math.max(1, meanMs)));
    },
    close() {
      for (const cancel of cancels) cancel();
    },
  };
}
