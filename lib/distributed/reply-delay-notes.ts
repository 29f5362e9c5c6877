/** Notes how long replies wait, where they wait for long: so deadline checks and sweeps count no failure for those that do. */
import { isWorthNoting, type ReplyDelay } from '#core/flow/reply-delay.ts';
import { errorKind } from '#core/model/errors.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { ReplyDelays } from '#ports/health/reply-delays.ts';
import type { Log } from '#ports/log.ts';
import type { QueueClock } from './queue-clock.ts';

/** Options of {@link replyDelayNotes}. */
export interface ReplyDelayNotesOptions {
  readonly delays: Pick<ReplyDelays, 'note'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly queueClock: Pick<QueueClock, 'now'>;
  readonly log: Log;
}

/** See {@link replyDelayNotes}. */
export interface ReplyDelayNotes {
  /**
   * A batch of replies of the agent came. Never rejects.
   *
   * @param sentAt when those that are received for the first time were sent, by the time of their queue, ms since the epoch:
   *   others also waited because they could not be handled
   */
  received(agent: AgentName, sentAt: readonly number[]): Promise<void>;
}

/** The notes of one instance of the Scheduler. */
export function replyDelayNotes({
  delays,
  clock,
  queueClock,
  log,
}: ReplyDelayNotesOptions): ReplyDelayNotes {
  const noted = new Map<AgentName, ReplyDelay>();
  return {
    async received(agent, sentAt) {
      if (sentAt.length === 0) return;
      const mean = sentAt.reduce((sum, at) => sum + at, 0) / sentAt.length;
      const delay = { ms: Math.round(queueClock.now() - mean), at: clock.now() };
      if (!isWorthNoting(delay, noted.get(agent) ?? null)) return;
      noted.set(agent, delay);
      try {
        await delays.note(agent, delay);
      } catch (error) {
        log.warn('reply-delay-unnoted', { agent, error: errorKind(error) });
      }
    },
  };
}
