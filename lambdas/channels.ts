/** The channel by which a function sends nudges. */
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { queueNames } from '#aws/queues/queue-names.ts';
import { byPriority, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import type { Nudge } from '#core/model/message.ts';
import type { Channel } from '#ports/channels.ts';
import { delaySeconds } from '#roles/delays.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { readConfig, readyVariables } from './config.ts';

/** The client of SQS, which all channels of a function share. */
export type SqsClient = ReturnType<typeof sqsClient>;

/** @returns the channel, and the client that the function's other channels share with it */
export function nudgeChannel(): { readonly sqs: SqsClient; readonly nudges: Channel<Nudge> } {
  const config = readConfig(readyVariables);
  const sqs = sqsClient();
  const nudges = sqsChannel({
    client: sqs,
    codec: nudgeCodec,
    queueOf: byPriority(
      queuesOf(config.REEVE_PRIORITIES, (priority) =>
        queueNames.ready(config.REEVE_QUEUES, priority),
      ),
    ),
    delaySecondsOf: ({ at }) => delaySeconds(at, systemClock.now()),
  });
  return { sqs, nudges };
}
