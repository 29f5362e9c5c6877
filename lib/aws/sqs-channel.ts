/** A channel over SQS queues: as few requests as the messages need, and nothing lost in a partial failure. */
import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { RefusedError, UnavailableError } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { MessageCodec } from '#core/message-codec.ts';
import type { Channel } from '#ports/channels.ts';
import { notTaken } from './failure.ts';

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

/**
 * `send` rejects when any of the messages could not be sent, after it has sent all the others: with
 * {@link UnavailableError}, or with {@link RefusedError} when SQS will never take one.
 */
export function sqsChannel<Message>(options: SqsChannelOptions<Message>): Channel<Message> {
  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, options.queueOf);
      const sent = await Promise.allSettled(
        [...byQueue].map(([queue, own]) =>
          sendAll(options.client, queue, own.map(options.codec.encode)),
        ),
      );
      throwFirst(sent);
    },
  };
}

async function sendAll(client: SQSClient, queue: string, bodies: readonly string[]): Promise<void> {
  const sendable = bodies.filter((body) => Buffer.byteLength(body) <= limits.messageBytesMax);
  const batches = inBatches(sendable);
  throwFirst(await Promise.allSettled(batches.map((batch) => sendBatch(client, queue, batch))));
  const tooLarge = bodies.length - sendable.length;
  if (tooLarge > 0) {
    throw new RefusedError(
      'message-too-large',
      `${tooLarge} of ${bodies.length} messages have over ${limits.messageBytesMax} bytes. They are not sent.`,
    );
  }
}

function throwFirst(outcomes: readonly PromiseSettledResult<void>[]): void {
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
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
  const refused: BatchResultErrorEntry[] = [];
  for (let tries = 1; left.length > 0; tries += 1) {
    const { Failed: failed = [] } = await client
      .send(new SendMessageBatchCommand({ QueueUrl: queue, Entries: left }))
      .catch((error: unknown) => {
        throw notTaken('SQS', error);
      });
    refused.push(...failed.filter(({ SenderFault }) => SenderFault));
    const again = failed.filter(({ SenderFault }) => !SenderFault);
    if (again.length > 0 && tries === triesMax) {
      throw new UnavailableError('messages-unsent', unsent(again, bodies.length));
    }
    const ids = new Set(again.map(({ Id }) => Id));
    left = left.filter(({ Id }) => ids.has(Id));
  }
  if (refused.length > 0) throw new RefusedError('messages-unsent', unsent(refused, bodies.length));
}

function unsent(failed: readonly BatchResultErrorEntry[], of: number): string {
  return `SQS did not take ${failed.length} of ${of} messages: ${failed[0]?.Code}.`;
}
