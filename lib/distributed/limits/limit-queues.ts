/** The queues of steps that wait for limits, as one instance knows them: by limit and key. */
import { recentMap } from '#core/model/recent-map.ts';

/** See above. Instants are by the time of the queues, ms since the epoch. */
export interface LimitQueues {
  /** Whether no call of the queue can begin now. */
  isClosed(queue: string): boolean;
  freeAt(queue: string): number;
  /** Whether steps wait, so that one that comes is behind them. */
  areWaiting(queue: string): boolean;
  /** A step is refused, and joins the queue. Returns when it asks again if nothing wakes it; infinite: no time is known. */
  refused(agent: string, queue: string, why: QueueRefusal): number;
  /** A call of the queue has ended. */
  open(queue: string): void;
  /** No step waits for the agent. */
  nothingWaits(agent: string): void;
}

/** Why a step waits. */
export type QueueRefusal =
  /** The limit has no room before `freeAt`. `askAt`: when it has some if nothing is known to end; a guess where calls may last. */
  | {
      readonly kind: 'full';
      readonly freeAt: number;
      readonly askAt: number;
      readonly isGuess?: true;
    }
  /** Others waited before it. */
  | { readonly kind: 'behind' };

interface Queue {
  readonly agent: string;
  /** When this was known. */
  readonly at: number;
  freeAt: number;
  waitUntil: number;
  /** When one of those that wait asks again; in the past, or infinite: none does. */
  askAt: number;
  /** How many guesses were wrong since a call of the queue ended. */
  guesses: number;
}

/** After the last refusal, steps are taken to wait for so long, ms. */
const waitMs = 60_000;
const queuesMax = 10_000;

/** Those of one instance; none at first. */
export function limitQueues(clock: { now(): number }): LimitQueues {
  const all = recentMap<Queue>(queuesMax);
  /** After a clock was set back, what it said before is not believed: it would keep the queue closed for as long. */
  function known(queue: string): Queue | undefined {
    const own = all.get(queue);
    return own !== undefined && own.at <= clock.now() ? own : undefined;
  }

  return {
    isClosed: (queue) => (known(queue)?.freeAt ?? 0) > clock.now(),
    freeAt: (queue) => known(queue)?.freeAt ?? clock.now(),
    areWaiting: (queue) => (known(queue)?.waitUntil ?? 0) > clock.now(),
    refused(agent, queue, why) {
      const nowMs = clock.now();
      const own = known(queue);
      if (why.kind === 'behind') return Number.POSITIVE_INFINITY;
      const isFirst = own === undefined || own.freeAt <= nowMs;
      // One that asks at a time of its own is enough, and each costs a write: a full item is found full by two of three replies.
      const asks = isFirst && (own === undefined || own.askAt <= nowMs || why.askAt < own.askAt);
      // Each wrong guess doubles the wait for the next one: a call may last for hours.
      const guesses = (own?.guesses ?? 0) + (asks && why.isGuess === true ? 1 : 0);
      const asksAt =
        why.isGuess === true ? nowMs + (why.askAt - nowMs) * 2 ** (guesses - 1) : why.askAt;
      const askAt = asks ? asksAt : (own?.askAt ?? Number.POSITIVE_INFINITY);
      const waitUntil = Math.max(nowMs, why.freeAt) + waitMs;
      all.set(queue, { agent, at: nowMs, freeAt: why.freeAt, waitUntil, askAt, guesses });
      // Replies and sweeps wake those behind the first one, in the turns of their classes and tenants.
      return asks ? asksAt : Number.POSITIVE_INFINITY;
    },
    open(queue) {
      const own = all.get(queue);
      if (own === undefined) return;
      own.freeAt = Number.NEGATIVE_INFINITY;
      own.guesses = 0;
    },
    nothingWaits(agent) {
      for (const [queue, own] of all.entries()) if (own.agent === agent) all.delete(queue);
    },
  };
}
