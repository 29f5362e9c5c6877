/** Parks messages in the dead-letter queue of the queue they came by. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ReeveError } from '#core/errors.ts';
import { sendableText } from '#core/sendable-text.ts';
import type { ParkMessage } from './queue-batch.ts';

/** The message attribute that says why a message was parked. */
export const reasonAttribute = 'Reason';
/** Characters: a reason may name fields, and fields may be of any length. */
const reasonLengthMax = 250;

/** `deadLetterQueues`: their URLs by the ARN of the queue whose letters they take. */
export function parking(
  client: SQSClient,
  deadLetterQueues: Readonly<Record<string, string>>,
): ParkMessage {
  return async ({ body, eventSourceARN }, reason) => {
    const queue = deadLetterQueues[eventSourceARN];
    if (queue === undefined) {
      throw new ReeveError(
        'no-dead-letter-queue',
        `${eventSourceARN} has no dead-letter queue in this function's configuration. Deploy again.`,
      );
    }
    await client.send(
      new SendMessageCommand({
        QueueUrl: queue,
        MessageBody: body,
        MessageAttributes: {
          [reasonAttribute]: {
            DataType: 'String',
            StringValue: sendableText(reason, reasonLengthMax),
          },
        },
      }),
    );
  };
}
