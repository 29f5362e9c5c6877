/**
 * Brings committed changes to whom they concern: at least once, in order for each order, until they were
 * told. Each response channel has a lane of its own, and so have the operators: whoever cannot be told
 * holds up nobody else.
 */

import { type StatusMessage, statusMessage } from '#core/codec/status-message.ts';
import type { Audience } from '#core/model/change.ts';
import { describeError } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Outbox, StoredChange } from '#ports/outbox.ts';
import { type ChannelBacklog, type ChannelWatch, channelWatch } from './channel-backlog.ts';
import { type DeliveryWorker, deliveryWorker } from './delivery-worker.ts';

/** Status messages on their way to one channel: what a small service bears. */
const responsesAtOnce = 16;
/** Alerts are counted together by whoever takes them, so all are handed over at once. */
const alertsAtOnce = Number.POSITIVE_INFINITY;

export interface ChangeFeedOptions {
  readonly outbox: Outbox;
  readonly deliver: (audience: Audience, status: StatusMessage) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An entry of the outbox, with the message that is kept from one try to the next. */
interface QueuedChange extends StoredChange {
  readonly status: StatusMessage;
}

export interface ChangeFeed {
  /** How the channels stand that were owed anything since the start. */
  channels(): readonly ChannelBacklog[];
  stop(): void;
}

interface WatchedWorker extends DeliveryWorker<QueuedChange> {
  readonly backlog: ChannelWatch['backlog'];
}

/** Starts it. What was not told when it stops is told after the next start. */
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
