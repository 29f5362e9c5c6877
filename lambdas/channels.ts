/** The channels of a function that only nudges: all but the Scheduler. */
import { sqsClient } from '#aws/clients.ts';
import { byPriority, queuesOf } from '#aws/priority-queues.ts';
import { queueNames } from '#aws/queue-names.ts';
import { sqsChannel } from '#aws/sqs-channel.ts';
import { ReeveError } from '#core/errors.ts';
import { nudgeCodec } from '#core/message-codec.ts';
import type { Channels } from '#ports/channels.ts';
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

export const nudgesOnly: Channels = {
  nudges,
  requests: {
    async send() {
      // Steps are started by a claim, and only the Scheduler claims.
      throw new ReeveError('not-a-scheduler', 'This function starts no steps. Please report this.');
    },
  },
};
