/**
 * Delivers committed changes to their audiences: at least once, and per order in sequence. Each response channel has
 * its own delivery worker, and the operators have one: so an unreachable receiver delays no other.
 *
 * A receiver may be unavailable for days, so only the first undelivered changes of a channel are in memory. The others are read from the outbox
 * when these have been delivered.
 */

import { type StatusMessage, statusMessage } from '#core/codec/status-message.ts';
import type { Audience } from '#core/model/change.ts';
import { describeError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { ChangePage, Outbox, StoredChange } from '#ports/outbox.ts';
import { type ChannelBacklog, channelWatch } from './channel-backlog.ts';
import { deliveryWorker } from './delivery-worker.ts';
import { type KeptChanges, keptChanges, keptMaxDefault, pauseMs, retryMs } from './kept-changes.ts';

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
  /** Changes of one channel in memory at most. Default 1,000. */
  readonly keptMax?: number;
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

interface Channel extends KeptChanges {
  /** Counts a further entry of the outbox, and delivers it when its time comes. */
  accept(stored: StoredChange): void;
  backlog(): ChannelBacklog;
}

const nameOf = ({ audience, change }: StoredChange) =>
  audience === 'operator' ? 'operator' : `submitter ${change.replyTo}`;

interface ChannelParts extends Required<Omit<ChangeFeedOptions, 'outbox'>> {
  readonly outbox: Pick<Outbox, 'deleteChange'>;
  /** The entries after this number that were counted, of all channels; null when they cannot be read now. */
  readonly pageOf: (after: number, channel: string | null) => ChangePage | null;
}

/** Makes the channel of this entry. */
function channelOf(parts: ChannelParts, { audience, change }: StoredChange, name: string): Channel {
  const { outbox, deliver, pageOf, clock, log, keptMax } = parts;
  const channel = audience === 'operator' ? null : change.replyTo;
  const watch = channelWatch({ name: channel, clock, log });
  const worker = deliveryWorker<QueuedChange>({
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
    settled: () => kept.refill(),
  });
  const kept = keptChanges({
    ...{ clock, keptMax },
    page(after) {
      const read = pageOf(after, channel);
      const isOwn = (stored: StoredChange) => nameOf(stored) === name;
      return read === null ? null : { ...read, entries: read.entries.filter(isOwn) };
    },
    waiting: worker.waiting,
    add: (stored) => worker.add({ ...stored, status: statusMessage(stored.change) }),
  });
  return {
    ...kept,
    backlog: watch.backlog,
    accept(stored) {
      watch.added();
      kept.offer(stored);
    },
    stop() {
      kept.stop();
      worker.stop();
    },
  };
}

/** Starts the feed. Changes that are undelivered when it stops are delivered after the next start. */
export function changeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { outbox, clock, log } = options;
  const channels = new Map<string, Channel>();
  /** The last entry that was counted at the start. */
  let countedTo = 0;
  /** Until all entries of the former process are counted, new ones are, too, by being read behind them. */
  let isCounted = false;
  let cancel = () => {};

  function pageOf(after: number, channel: string | null): ChangePage | null {
    try {
      return outbox.changes(after, limits.changesPage);
    } catch (error) {
      log.error('delivery-failed', { channel, error: describeError(error) });
      return null;
    }
  }

  /** What is not counted yet is offered to its channel when it is. */
  function countedPageOf(after: number, channel: string | null): ChangePage | null {
    const page = pageOf(after, channel);
    if (page === null || isCounted) return page;
    return {
      entries: page.entries.filter(({ seq }) => seq <= countedTo),
      next: page.next !== null && page.next < countedTo ? page.next : null,
    };
  }

  function accept(stored: StoredChange): void {
    const name = nameOf(stored);
    const channel =
      channels.get(name) ??
      channelOf({ keptMax: keptMaxDefault, ...options, pageOf: countedPageOf }, stored, name);
    channels.set(name, channel);
    channel.accept(stored);
  }

  function count(after: number, { entries, next }: ChangePage): void {
    for (const stored of entries) accept(stored);
    countedTo = next ?? entries.at(-1)?.seq ?? after;
    isCounted = next === null;
    if (next !== null) cancel = clock.after(pauseMs, () => countFrom(next));
  }

  function countFrom(after: number): void {
    const read = pageOf(after, null);
    if (read !== null) count(after, read);
    else cancel = clock.after(retryMs, () => countFrom(after));
  }

  outbox.watchChanges((stored) => {
    if (isCounted && stored.seq > countedTo) accept(stored);
  });
  // A start must not succeed with an outbox that cannot be read.
  count(0, outbox.changes(0, limits.changesPage));
  return {
    channels: () => [...channels.values()].map(({ backlog }) => backlog()),
    stop() {
      cancel();
      for (const each of channels.values()) each.stop();
    },
  };
}
