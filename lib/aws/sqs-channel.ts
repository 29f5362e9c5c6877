/** A channel over SQS queues: as few requests as the messages need, and nothing lost in a partial failure. */
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { UnavailableError } from '#core/errors.ts';
import type { MessageCodec } from '#core/message-codec.ts';
import type { Channel } from '#ports/channels.ts';
import { unavailable } from './failure.ts';

/** Messages of one SendMessageBatch (SQS). */
const batchMax = 10;
/** Bytes of one SendMessageBatch that any SQS takes: newer ones take 1 MiB (SQS quotas). */
const batchBytesMax = 256 * 1024;
/** Tries of entries that SQS itself could not take, before the sender is told. */
const triesMax = 3;

export interface SqsChannelOptions<Message> {
  readonly client: SQSClient;
  readonly codec: MessageCodec<Message>;
  /** The URL of the queue a message goes to: from the configuration, never from the message. */
  readonly queueOf: (message: Message) => string;
}

/** `send` rejects with {@link UnavailableError} when any of the messages could not be sent. */
export function sqsChannel<Message>(options: SqsChannelOptions<Message>): Channel<Message> {
  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, options.queueOf);
      const batches = [...byQueue].flatMap(([queue, own]) =>
        inBatches(own.map(options.codec.encode)).map((bodies) => ({ queue, bodies })),
      );
      await Promise.all(
        batches.map(({ queue, bodies }) => sendBatch(options.client, queue, bodies)),
      );
    },
  };
}

function inBatches(bodies: readonly string[]): string[][] {
  const batches: string[][] = [];
  let current: string[] = [];
  let bytes = 0;
  for (const body of bodies) {
    const size = Buffer.byteLength(body);
    if (current.length === batchMax || (current.length > 0 && bytes + size > batchBytesMax)) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(body);
    bytes += size;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

async function sendBatch(
  client: SQSClient,
  queue: string,
  bodies: readonly string[],
): Promise<void> {
  let left = bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
  for (let tries = 1; left.length > 0; tries += 1) {
    const answer = await client
      .send(new SendMessageBatchCommand({ QueueUrl: queue, Entries: left }))
      .catch((error: unknown) => {
        throw unavailable('SQS', error);
      });
    const failed = answer.Failed ?? [];
    const [refused] = failed.filter(({ SenderFault }) => SenderFault);
    if (failed.length > 0 && (refused !== undefined || tries === triesMax)) {
      throw new UnavailableError(
        'messages-unsent',
        `SQS did not take ${failed.length} of ${left.length} messages: ${(refused ?? failed[0])?.Code}.`,
      );
    }
    const ids = new Set(failed.map(({ Id }) => Id));
    left = left.filter(({ Id }) => ids.has(Id));
  }
}
