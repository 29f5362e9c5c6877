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
import { type ChannelStanding, type ChannelWatch, channelWatch } from './channel-watch.ts';
import { type Lane, lane } from './lane.ts';

/** Status messages on their way to one channel: what a small service bears. */
const responsesAtOnce = 16;
/** Alerts are counted together by whoever takes them, so all are handed over at once. */
const alertsAtOnce = Number.POSITIVE_INFINITY;

export interface ChangeFeedOptions {
  readonly outbox: Outbox;
  readonly tell: (audience: Audience, status: StatusMessage) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An entry of the outbox, with the message that is kept from one try to the next. */
interface Owed extends StoredChange {
  readonly status: StatusMessage;
}

export interface ChangeFeed {
  /** How the channels stand that were owed anything since the start. */
  channels(): readonly ChannelStanding[];
  stop(): void;
}

interface WatchedLane extends Lane<Owed> {
  readonly standing: ChannelWatch['standing'];
}

/** Starts it. What was not told when it stops is told after the next start. */
export function changeFeed({ outbox, tell, clock, log }: ChangeFeedOptions): ChangeFeed {
  const lanes = new Map<string, WatchedLane>();

  function laneOf({ audience, change }: StoredChange): WatchedLane {
    const name = audience === 'operator' ? 'operator' : `submitter ${change.replyTo}`;
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const channel = audience === 'operator' ? null : change.replyTo;
    const watch = channelWatch({ name: channel, clock, log });
    const own = lane<Owed>({
      atOnce: audience === 'operator' ? alertsAtOnce : responsesAtOnce,
      clock,
      async tell({ seq, status }) {
        await tell(audience, status);
        await outbox.forgetChange(seq);
        watch.told(status.change.orderId);
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
    const made: WatchedLane = {
      ...own,
      standing: watch.standing,
      add(entry) {
        watch.added();
        own.add(entry);
      },
    };
    lanes.set(name, made);
    return made;
  }

  outbox.watchChanges((stored) =>
    laneOf(stored).add({ ...stored, status: statusMessage(stored.change) }),
  );
  return {
    channels: () => [...lanes.values()].map(({ standing }) => standing()),
    stop() {
      for (const each of lanes.values()) each.stop();
    },
  };
}
