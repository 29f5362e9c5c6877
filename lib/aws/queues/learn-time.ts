/** What the messages of a queue say of the time. */
import type { SQSEvent } from 'aws-lambda';
import type { QueueClock } from '#distributed/queue-clock.ts';
import { receivesOf } from './hide-messages.ts';

/** Before a batch is handled: a message that is received for the first time says when. */
export function learnTime(
  clock: Pick<QueueClock, 'received'>,
  { Records: records }: SQSEvent,
): void {
  clock.received(
    records.flatMap((record) => {
      const at = Number(record.attributes.ApproximateFirstReceiveTimestamp);
      return receivesOf(record) === 1 && at > 0 ? [at] : [];
    }),
  );
}
