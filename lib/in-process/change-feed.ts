/**
 * Delivers committed changes to their audiences: at least once, and per order in sequence. Each response channel has
 * its own delivery worker, and the operators have one: so an unreachable receiver delays no other.
 */

import { type StatusMessage, statusMessage } from '#core/codec/status-message.ts';
import type { Audience } from '#core/model/change.ts';
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Outbox, StoredChange } from '#ports/outbox.ts';
import { type ChannelBacklog, type ChannelWatch, channelWatch } from './channel-backlog.ts';
import { type DeliveryWorker, deliveryWorker } from './delivery-worker.ts';

/** Status messages in flight to one channel: a number that a small service can bear. */
const responsesAtOnce = 16;
/** The receiver of alerts groups them, so all are delivered at once. */
const alertsAtOnce = Number.POSITIVE_INFINITY;

/** The source and the receiver of changes. */
export interface ChangeFeedOptions {
  readonly outbox: Outbox;
  readonly deliver: (audience: Audience, status: StatusMessage) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An entry of the outbox with its message, which is the same in every retry. */
interface QueuedChange extends StoredChange {
  readonly status: StatusMessage;
}

/** A running feed. */
export interface ChangeFeed {
  /** The backlogs of the channels that have had any message since the start. */
  channels(): readonly ChannelBacklog[];
  stop(): void;
}

interface WatchedWorker extends DeliveryWorker<QueuedChange> {
  readonly backlog: ChannelWatch['backlog'];
}

/** Starts the feed. Changes that are undelivered when it stops are delivered after the next start. */
export function changeFeed({ outbox, deliver, clock, log }: ChangeFeedOptions): ChangeFeed {
  const workers = new Map<string, WatchedWorker>();

  function workerOf({ audience, change }: StoredChange): WatchedWorker {
    const name = audience === 'operator' ? 'operator' : `submitter ${change.replyTo}`;
    const known = workers.get(name);
    if (known !== undefined) return known;
    const channel = audience === 'operator' ? null : change.replyTo;
    const watch = channelWatch({ name: channel, clock, log });
    const own = deliveryWorker<QueuedChange>({
      atOnce: audience === 'operator' ? alertsAtOnce : responsesAtOnce,
      clock,
      async deliver({ seq, status }) {
        await deliver(audience, status);
        await outbox.deleteChange(seq);
        watch.delivered(status.change.orderId);
      },
      failed({ orderId, sequence }, error) {
        log.warn('notification-failed', {
          orderId,
          sequence,
          channel,
          error: describeError(error),
        });
        watch.failed(orderId, error);
      },
    });
    const made: WatchedWorker = {
      ...own,
      backlog: watch.backlog,
      add(entry) {
        watch.added();
        own.add(entry);
      },
    };
    workers.set(name, made);
    return made;
  }

  outbox.watchChanges((stored) =>
    workerOf(stored).add({ ...stored, status: statusMessage(stored.change) }),
  );
  return {
    channels: () => [...workers.values()].map(({ backlog }) => backlog()),
    stop() {
      for (const each of workers.values()) each.stop();
    },
  };
}
