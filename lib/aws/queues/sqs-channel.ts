/** A channel over standard queues of SQS: as few requests as possible, and no message lost in a partial failure. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import type { Channel } from '#ports/channels.ts';
import { inBatches, type Outgoing, sendBatch } from './send-batch.ts';

export interface SqsChannelOptions<Message> {
  readonly client: SQSClient;
  readonly codec: MessageCodec<Message>;
  /** The URL of a message's queue: from the configuration, never from the message. */
  readonly queueOf: (message: Message) => string;
  /** How long the queue is to hide the message first, s. @default not at all */
  readonly delaySecondsOf?: (message: Message) => number;
}

/**
 * `send` rejects when any message could not be sent, after sending all others: with {@link UnavailableError},
 * with {@link RefusedError} when SQS will never accept one, or with the error of the codec that cannot write one.
 */
export function sqsChannel<Message>(options: SqsChannelOptions<Message>): Channel<Message> {
  const { client, codec, queueOf, delaySecondsOf } = options;
  const outgoing = (message: Message): Outgoing => ({
    body: codec.encode(message),
    ...(delaySecondsOf !== undefined && { delaySeconds: delaySecondsOf(message) }),
  });
  return {
    async send(messages) {
      const unwritten: unknown[] = [];
      const written = (message: Message): readonly Outgoing[] => {
        try {
          return [outgoing(message)];
        } catch (error) {
          unwritten.push(error);
          return [];
        }
      };
      const errors = await Promise.all(
        [...Map.groupBy(messages, queueOf)].map(([queue, own]) =>
          sendAll(client, queue, own.flatMap(written)),
        ),
      );
      const all = [...errors.flat(), ...unwritten];
      // The caller can retry only an unavailable service, so that error takes precedence.
      const worst = all.find((error) => error instanceof UnavailableError) ?? all[0];
      if (worst !== undefined) throw worst;
    },
  };
}

/** Returns the errors after sending every message that can be sent. */
async function sendAll(
  client: SQSClient,
  queue: string,
  messages: readonly Outgoing[],
): Promise<readonly unknown[]> {
  const sizeOf = ({ body }: Outgoing) => Buffer.byteLength(body);
  const sendable = messages.filter((message) => sizeOf(message) <= limits.messageBytesMax);
  const batches = inBatches(sendable, sizeOf);
  const sent = await Promise.allSettled(batches.map((batch) => sendBatch(client, queue, batch)));
  const errors = sent.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [...outcome.value.values()],
  );
  const tooLarge = messages.length - sendable.length;
  if (tooLarge === 0) return errors;
  const message = `${tooLarge} of ${messages.length} messages have over ${limits.messageBytesMax} bytes. They are not sent.`;
  return [...errors, new RefusedError('message-too-large', message)];
}
