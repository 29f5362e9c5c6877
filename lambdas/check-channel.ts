/** The channel of deadline checks, from the Scheduler to the Supervisor. */
import { queueNames } from '#aws/queues/queue-names.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { delaySeconds } from '#roles/delays.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import type { SqsClient } from './channels.ts';
import { queueVariables, readConfig } from './config.ts';

export function deadlineCheckChannel(client: SqsClient) {
  const { REEVE_QUEUES: queues } = readConfig(queueVariables);
  return sqsChannel({
    client,
    codec: deadlineCheckCodec,
    queueOf: () => queueNames.check(queues),
    delaySecondsOf: ({ at }) => delaySeconds(at, systemClock.now()),
  });
}
