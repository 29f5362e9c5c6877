/**
 * The notifier: brings committed changes to submitters and operators (R17, R18). Each audience's share of a
 * change is delivered and tried again by itself: what cannot be delivered now is kept in the retry queue,
 * with its content, so that nothing else waits for it or is repeated because of it. It remembers nothing
 * itself: each invocation may be the first of its process.
 */

import { type Change, type Notification, notificationsOf } from '#core/model/change.ts';
import { describeError } from '#core/model/errors.ts';
import type { Channel } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';
import type { Publication, Publisher } from '#ports/publisher.ts';

export interface NotifierPorts {
  readonly publisher: Publisher;
  /** Keeps notifications and brings each to `retry`, until that resolves. */
  readonly retries: Channel<Notification>;
  readonly log: Log;
}

export interface Notifier {
  /**
   * Changes as the stream has them. Gives how many of them, from the first, are settled: each notification
   * is delivered or kept. The stream must deliver the others again; no alert of those has been sent.
   */
  onChanges(changes: readonly Change[]): Promise<number>;
  /** A notification from the retry queue. Rejects when it cannot be delivered yet. */
  retry(notification: Notification): Promise<void>;
}

interface Placed {
  readonly place: number;
  readonly notification: Notification;
}

export function notifier(ports: NotifierPorts): Notifier {
  return {
    async onChanges(changes) {
      const all = changes.flatMap((change, place) =>
        notificationsOf(change).map((notification) => ({ place, notification })),
      );
      const [responses, alerts] = byAudience(all);
      // An alert cannot be taken back when the stream has to deliver its change again, and then would be
      // sent again: so it leaves only when everything else about its change is settled.
      const settled = Math.min(changes.length, ...(await settle(ports, responses)));
      return alertInTurn(
        ports,
        alerts.filter(({ place }) => place < settled),
        settled,
      );
    },

    async retry(notification) {
      const [result] = await publish(ports.publisher, [notification]);
      if (result?.kind !== 'delivered') throw result?.error;
    },
  };
}

function byAudience(all: readonly Placed[]): [responses: Placed[], alerts: Placed[]] {
  const isAlert = ({ notification }: Placed) => notification.audience === 'operator';
  return [all.filter((one) => !isAlert(one)), all.filter(isAlert)];
}

/**
 * One after the other: of several at once, the stream would repeat those that arrived together with the one
 * that could be neither delivered nor kept. After one that fails the rest are kept with it, so that operators
 * who cannot be reached cost one wait. Gives how many changes are settled.
 */
async function alertInTurn(
  ports: NotifierPorts,
  alerts: readonly Placed[],
  settled: number,
): Promise<number> {
  for (const [at, alert] of alerts.entries()) {
    const failed = await failures(ports, [alert]);
    if (failed.length === 0) continue;
    return Math.min(settled, ...(await keep(ports, alerts.slice(at))));
  }
  return settled;
}

/** Delivers them, or keeps them for later; gives the places of those of which neither is known. */
async function settle(ports: NotifierPorts, owed: readonly Placed[]): Promise<readonly number[]> {
  return keep(ports, await failures(ports, owed));
}

/** Delivers them; gives those that nobody is known to have. */
async function failures(
  { publisher, log }: NotifierPorts,
  owed: readonly Placed[],
): Promise<readonly Placed[]> {
  const results = await publish(
    publisher,
    owed.map(({ notification }) => notification),
  );
  return owed.filter(({ notification }, at) => {
    const result = results[at];
    if (result?.kind === 'delivered') return false;
    log.warn('notification-deferred', {
      ...fieldsOf(notification),
      error: describeError(result?.error),
    });
    return true;
  });
}

/** Keeps them for later; gives the places of those that are not known to be kept. */
async function keep(
  { retries, log }: NotifierPorts,
  left: readonly Placed[],
): Promise<readonly number[]> {
  if (left.length === 0) return [];
  try {
    await retries.send(left.map(({ notification }) => notification));
    return [];
  } catch (error) {
    log.error('notifications-not-kept', {
      notifications: left.length,
      error: describeError(error),
    });
    return left.map(({ place }) => place);
  }
}

/** A publisher that fails as a whole has delivered nothing that is known of. */
async function publish(
  publisher: Publisher,
  notifications: readonly Notification[],
): Promise<readonly Publication[]> {
  if (notifications.length === 0) return [];
  try {
    return await publisher.publish(notifications);
  } catch (error) {
    return notifications.map(() => ({ kind: 'failed', error }));
  }
}

const fieldsOf = ({ audience, change }: Notification) => ({
  orderId: change.orderId,
  sequence: change.sequence,
  channel: audience === 'operator' ? null : change.replyTo,
});
