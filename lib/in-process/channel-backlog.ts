/**
 * The time since when a channel is behind: since the first failed delivery that has not succeeded yet. A receiver that
 * is unavailable for long, one that refuses some messages, and a channel that is no longer registered each give one
 * line in the log, and another when the channel has caught up.
 */
import { describeError, ReeveError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { DeliveryError } from '#ports/publisher.ts';

/** A channel that is behind for less than this is not logged: short outages are normal, ms. */
const behindAfterMs = 15 * 60_000;

/** The undelivered messages of one channel. */
export interface ChannelBacklog {
  /** The name in `replyTo`; null: the operators. */
  readonly name: string | null;
  /** The number of undelivered messages. */
  readonly undelivered: number;
  /** The time of the first failure that no delivery has resolved, ms since the epoch; null: none. */
  readonly failingSince: number | null;
}

/** Records the deliveries to one channel. */
export interface ChannelWatch {
  added(): void;
  failed(orderId: OrderId, error: unknown): void;
  delivered(orderId: OrderId): void;
  backlog(): ChannelBacklog;
}

/** Options of {@link channelWatch}; `name` as in {@link ChannelBacklog}. */
export interface ChannelWatchOptions {
  readonly name: string | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the watch of one channel. */
export function channelWatch({ name, clock, log }: ChannelWatchOptions): ChannelWatch {
  /** Orders whose next message the channel has refused. */
  const refused = new Set<OrderId>();
  let undelivered = 0;
  let failingSince: number | null = null;
  let isReported = false;

  return {
    added() {
      undelivered += 1;
    },
    failed(orderId, error) {
      failingSince ??= clock.now();
      if (error instanceof DeliveryError && error.of === 'message') refused.add(orderId);
      // No retry of this process can succeed.
      const isHopeless = error instanceof ReeveError && error.code === 'reply-to-unknown';
      if (isReported || (!isHopeless && clock.now() - failingSince < behindAfterMs)) return;
      isReported = true;
      const since = new Date(failingSince).toISOString();
      log.error('channel-behind', {
        channel: name,
        since,
        undelivered,
        error: describeError(error),
      });
    },
    delivered(orderId) {
      undelivered -= 1;
      refused.delete(orderId);
      if (failingSince === null || refused.size > 0) return;
      failingSince = null;
      // At the level of the error that it ends, so that a log filter shows both.
      if (isReported) log.error('channel-caught-up', { channel: name, undelivered });
      isReported = false;
    },
    backlog: () => ({ name, undelivered, failingSince }),
  };
}
