/** The channel by which a function sends nudges. */
import { sqsClient } from '#aws/clients.ts';
import { queueNames } from '#aws/queues/queue-names.ts';
import { byPriority, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { delaySeconds } from '#roles/delays.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
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
  delaySecondsOf: ({ at }) => delaySeconds(at, systemClock.now()),
});
