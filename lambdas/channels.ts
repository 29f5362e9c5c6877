/** How the nudges of a function leave. */
import { sqsClient } from '#aws/clients.ts';
import { byPriority, queuesOf } from '#aws/priority-queues.ts';
import { queueNames } from '#aws/queue-names.ts';
import { sqsChannel } from '#aws/sqs-channel.ts';
import { nudgeCodec } from '#core/message-codec.ts';
import { readConfig, readyVariables } from './config.ts';

const config = readConfig(readyVariables);

export const sqs = sqsClient();

export const nudges = sqsChannel({
  client: sqs,
  codec: nudgeCodec,
  queueOf: byPriority(
    queuesOf(config.REEVE_PRIORITIES, (priority) =>
      queueNames.ready(config.REEVE_QUEUES, priority),
    ),
  ),
});
