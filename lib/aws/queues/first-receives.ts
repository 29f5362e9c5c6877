/** What the messages of a queue say of the time. */
import type { QueueEvent } from '#aws/lambda-events.ts';
import { receivesOf } from './hide-messages.ts';

/** When the messages that are received for the first time were received, as SQS says; ms since the epoch. */
export const firstReceives = ({ Records: records }: QueueEvent): readonly number[] =>
  records.flatMap((record) => {
    const at = Number(record.attributes.ApproximateFirstReceiveTimestamp);
    return receivesOf(record) === 1 && at > 0 ? [at] : [];
  });
