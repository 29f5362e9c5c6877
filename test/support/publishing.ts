/** Publishes one notification at a time, and throws its error. */
import type { Change, Notification } from '#core/model/change.ts';
import type { Publisher } from '#ports/publisher.ts';

async function publishOne(publisher: Publisher, notification: Notification): Promise<void> {
  const [result] = await publisher.publish([notification]);
  if (result?.kind === 'failed') throw result.error;
}

export const respond = (publisher: Publisher, replyTo: string, change: Change) =>
  publishOne(publisher, { audience: 'submitter', change: { ...change, replyTo } });

export const alert = (publisher: Publisher, change: Change) =>
  publishOne(publisher, { audience: 'operator', change });
