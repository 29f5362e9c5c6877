/**
 * Since when a channel has been behind: something that it is owed failed, and has not been told since. A receiver
 * that is away for long, one that refuses some messages, or a channel that nobody registers any more is thus one
 * line of the log, and another when it is over.
 */
import { describeError, ReeveError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { DeliveryError } from '#ports/publisher.ts';

/** Shorter outages are daily life, ms. */
const behindAfterMs = 15 * 60_000;

/** How a channel stands. */
export interface ChannelBacklog {
  /** As `replyTo` names it; null: the operators. */
  readonly name: string | null;
  /** Messages that have not been told yet. */
  readonly undelivered: number;
  /** When the first of those failures happened that are not made good yet; null: there is none. */
  readonly failingSince: number | null;
}

export interface ChannelWatch {
  added(): void;
  failed(orderId: OrderId, error: unknown): void;
  delivered(orderId: OrderId): void;
  backlog(): ChannelBacklog;
}

export interface ChannelWatchOptions {
  readonly name: string | null;
  readonly clock: Clock;
  readonly log: Log;
}

export function channelWatch({ name, clock, log }: ChannelWatchOptions): ChannelWatch {
  /** Orders of which the channel refused the message that is next. */
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
      // No try of this process can succeed.
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
      // Of the same level as what it ends: who reads the one must see the other.
      if (isReported) log.error('channel-caught-up', { channel: name, undelivered });
      isReported = false;
    },
    backlog: () => ({ name, undelivered, failingSince }),
  };
}
