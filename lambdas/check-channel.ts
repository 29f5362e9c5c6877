/** The channel of deadline checks, from the Scheduler to the Supervisor. */
import { queueNames } from '#aws/queues/queue-names.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { delaySeconds } from '#roles/delays.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { sqs } from './channels.ts';
import { queueVariables, readConfig } from './config.ts';

const { REEVE_QUEUES: queues } = readConfig(queueVariables);

export const deadlineChecks = sqsChannel({
  client: sqs,
  codec: deadlineCheckCodec,
  queueOf: () => queueNames.check(queues),
  delaySecondsOf: ({ at }) => delaySeconds(at, systemClock.now()),
});
