/** What the messages of a queue say of the time: those that are received for the first time, because others waited for other reasons. */
import type { QueueEvent, QueueMessage } from '#aws/lambda-events.ts';
import { receivesOf } from './hide-messages.ts';

/** When they were received, as SQS says; ms since the epoch. */
export const firstReceives = (event: QueueEvent): readonly number[] =>
  instantsOf(event, ({ ApproximateFirstReceiveTimestamp: at }) => at);

/** When they were sent, as SQS says; ms since the epoch. */
export const firstSent = (event: QueueEvent): readonly number[] =>
  instantsOf(event, ({ SentTimestamp: at }) => at);

const instantsOf = (
  { Records: records }: QueueEvent,
  textOf: (attributes: QueueMessage['attributes']) => string,
): readonly number[] =>
  records.flatMap((record) => {
    const at = Number(textOf(record.attributes));
    return receivesOf(record) === 1 && at > 0 ? [at] : [];
  });
