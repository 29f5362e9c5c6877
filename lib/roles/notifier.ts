/**
 * The notifier: delivers committed changes to submitters and operators (R17, R18). The notification of each audience
 * is delivered and retried separately. One that cannot be delivered now goes to the retry queue with its content, so
 * that no other waits for it or is repeated because of it. The notifier keeps no state between invocations.
 */

import { type Change, type Notification, notificationsOf } from '#core/model/change.ts';
import { describeError } from '#core/model/errors.ts';
import type { Channel } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';
import type { Publication, Publisher } from '#ports/publisher.ts';

/** The ports of {@link notifier}. */
export interface NotifierPorts {
  readonly publisher: Publisher;
  /** The retry queue: delivers each notification to `retry` until that resolves. */
  readonly retries: Channel<Notification>;
  readonly log: Log;
}

/** Delivers status messages and operator alerts. */
export interface Notifier {
  /**
   * Takes changes in the order of the stream. Returns how many of them, from the first, are settled: each of their
   * notifications is delivered or in the retry queue. The stream must deliver the others again; no alert of those
   * was sent.
   */
  onChanges(changes: readonly Change[]): Promise<number>;
  /** A notification from the retry queue. Rejects when it cannot be delivered yet. */
  retry(notification: Notification): Promise<void>;
}

interface Placed {
  readonly place: number;
  readonly notification: Notification;
}

/** Makes the notifier. */
export function notifier(ports: NotifierPorts): Notifier {
  return {
    async onChanges(changes) {
      const all = changes.flatMap((change, place) =>
        notificationsOf(change).map((notification) => ({ place, notification })),
      );
      const [responses, alerts] = byAudience(all);
      // A change that the stream delivers again would alert twice. So its alert is sent only once all its
      // other notifications are settled.
      const settled = Math.min(changes.length, ...(await deliverOrKeep(ports, responses)));
      return alertOneByOne(
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
 * Sends alerts one by one: were they sent together, an alert that is neither delivered nor kept would make the stream
 * repeat delivered ones. After the first failure the rest go to the retry queue with it, so that an unreachable
 * publisher costs one timeout. Returns how many changes are settled.
 */
async function alertOneByOne(
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

/** Delivers notifications or keeps them for later; returns the places of those for which neither is certain. */
async function deliverOrKeep(
  ports: NotifierPorts,
  undelivered: readonly Placed[],
): Promise<readonly number[]> {
  return keep(ports, await failures(ports, undelivered));
}

/** Delivers notifications; returns those whose delivery is not certain. */
async function failures(
  { publisher, log }: NotifierPorts,
  undelivered: readonly Placed[],
): Promise<readonly Placed[]> {
  const results = await publish(
    publisher,
    undelivered.map(({ notification }) => notification),
  );
  return undelivered.filter(({ notification }, at) => {
    const result = results[at];
    if (result?.kind === 'delivered') return false;
    log.warn('notification-deferred', {
      ...fieldsOf(notification),
      error: describeError(result?.error),
    });
    return true;
  });
}

/** Puts notifications into the retry queue; returns the places of those that may not be in it. */
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

/** When the publisher rejects, every notification counts as failed. */
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
