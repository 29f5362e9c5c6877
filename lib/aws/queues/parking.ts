/** Parks messages in the dead-letter queue of their source queue. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { unavailable } from '#aws/failure.ts';
import { sendableText } from '#core/codec/sendable-text.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { ParkMessage } from './queue-batch.ts';

/** The message attribute that says why a message was parked. */
export const reasonAttribute = 'Reason';
/** Characters: a reason may name fields, which may have any length. */
const reasonLengthMax = 250;

/** The attributes of a message parked for this reason. */
const reasonAttributes = (reason: string) => ({
  [reasonAttribute]: {
    DataType: 'String',
    StringValue: sendableText(reason, reasonLengthMax),
  },
});

/** @param deadLettersOf the URL of the dead-letter queue of the queue with this ARN */
export function parking(
  client: SQSClient,
  deadLettersOf: (arn: string) => string | undefined,
): ParkMessage {
  return async ({ body, eventSourceARN }, reason) => {
    const queue = deadLettersOf(eventSourceARN);
    if (queue === undefined) {
      throw new ReeveError(
        'no-dead-letter-queue',
        `${eventSourceARN} has no dead-letter queue in this function's configuration. Deploy again.`,
      );
    }
    await sendDeadLetter(client, queue, { body, reason });
  };
}

/** @throws {UnavailableError} when SQS did not take it */
export async function sendDeadLetter(
  client: SQSClient,
  queue: string,
  { body, reason }: { readonly body: string; readonly reason: string },
): Promise<void> {
  const command = new SendMessageCommand({
    QueueUrl: queue,
    MessageBody: body,
    MessageAttributes: reasonAttributes(reason),
  });
  await client.send(command).catch((error: unknown) => {
    throw unavailable('SQS', error);
  });
}
