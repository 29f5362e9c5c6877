/**
 * Sends each deadline check once. A check that has come sends the next one, so a queue that delivers one in ten twice would have
 * 2,000 times as many after eighty of them, if each message were followed by one of its own.
 */

import type { DeadlineCheck } from '#core/model/message.ts';
import { recentMap } from '#core/model/recent-map.ts';
import type { Channel } from '#ports/channels.ts';

/** Checks that are remembered, of the latest: more than an instance sends while a message may be delivered again. */
const rememberedMax = 10_000;

/**
 * The same channel, without the checks that this instance has already sent: of one check there are then at most as many messages, on their
 * own, as there are instances. A check that could not be sent is sent when it is asked for again.
 */
export function sendingOnce(checks: Channel<DeadlineCheck>): Channel<DeadlineCheck> {
  const sent = recentMap<true>(rememberedMax);
  return {
    async send(messages) {
      const byName = new Map(messages.map((check) => [nameOf(check), check]));
      for (const name of byName.keys()) if (sent.get(name)) byName.delete(name);
      if (byName.size === 0) return;
      await checks.send([...byName.values()]);
      for (const name of byName.keys()) sent.set(name, true);
    },
  };
}

/** The same for checks that do the same. */
export const nameOf = ({ orderId, at, claimedAt, until }: DeadlineCheck) =>
  `${orderId} ${at} ${claimedAt} ${until}`;
