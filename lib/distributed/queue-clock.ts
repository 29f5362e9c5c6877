/**
 * The time of the queues, by which the instances of Schedulers and agents agree when a call may begin: each message says when
 * its queue gave it to its first receiver. Clocks of containers may differ; by the time of the queues, those of all instances
 * that receive messages differ by as much as messages take to arrive at best. An instance takes itself to be earlier than it
 * is rather than later, so that it begins no call too early.
 */
import { clockToleranceMs } from '#core/decide/due.ts';
import type { Clock } from '#ports/clock.ts';

/** See above. */
export interface QueueClock {
  /** Ms since the epoch. */
  now(): number;
  /** Ms that the clock of this instance is ahead, or less: messages take time to arrive. */
  aheadMs(): number;
  /**
   * The latest time of the queues at which the clock of this instance may show an instant. An end of a lease that is reported to other
   * instances is never too early: late messages look like a clock that is ahead, so only one that is wrong is corrected back.
   */
  latest(at: number): number;
  /** Whether the time is known well: not by the messages of the first batch, for which the instance had to be started. */
  isKnown(): boolean;
  /** A batch of messages came now, of which some were received for the first time: then, by the time of their queue. */
  received(firstReceives: readonly number[]): void;
}

/** What the messages of so long ago said is forgotten, ms: clocks drift. */
const periodMs = 60_000;

/** The times of an instance. */
export interface InstanceTimes extends Pick<Clock, 'now'> {
  /** Ms since an arbitrary instant, which no setting of the clock changes. */
  readonly uptime: () => number;
}

/** That of one instance. Before its first message, its own clock counts, and again after that was set. */
export function queueClock({ now, uptime }: InstanceTimes): QueueClock {
  let former: number | null = null;
  let latest: number | null = null;
  let since = now();
  let isFirst = true;
  let isKnown = false;
  let startedAt = now() - uptime();

  /**
   * A clock that was hours behind and is right again would be taken to be hours behind still: for a minute or two, slots and room would be
   * leased until hours later. A smaller step may be the time for which a suspended instance had no uptime.
   */
  function forgetIfSet(): void {
    const before = startedAt;
    startedAt = now() - uptime();
    if (Math.abs(startedAt - before) <= clockToleranceMs) return;
    [former, latest, since] = [null, null, now()];
    [isFirst, isKnown] = [true, false];
  }

  /** A message that took long to arrive says less than one that arrived at once. */
  function aheadMs(): number {
    forgetIfSet();
    if (former === null) return latest ?? 0;
    return latest === null ? former : Math.min(former, latest);
  }

  return {
    now: () => now() - aheadMs(),
    aheadMs,
    latest(at) {
      const ms = aheadMs();
      return ms > clockToleranceMs ? at - ms : at - Math.min(0, ms);
    },
    isKnown() {
      forgetIfSet();
      return isKnown;
    },
    received(firstReceives) {
      forgetIfSet();
      const nowMs = now();
      const isOver = nowMs < since || nowMs - since >= periodMs;
      if (isOver) [former, latest, since] = [latest ?? former, null, nowMs];
      for (const at of firstReceives) {
        latest = Math.min(latest ?? Number.POSITIVE_INFINITY, nowMs - at);
        isKnown ||= !isFirst;
      }
      isFirst = false;
    },
  };
}
