/** The Scheduler: invoked by the ready queues and by each agent's reply queue. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf, queueNames, replyingAgent } from '#aws/queues/queue-names.ts';
import { byPriority, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { nudgeCodec, replyCodec, requestCodec } from '#core/codec/message-codec.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { agentName, schedulerId } from '#core/model/ids.ts';
import { assembleScheduler } from '#roles/assemble.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { workflows } from '#workflows/shipped.ts';
import { nudges, sqs } from './channels.ts';
import { deadlineChecks } from './check-channel.ts';
import { readConfig, readyVariables, recoveryVariables, schedulerVariables } from './config.ts';
import { metered } from './metrics.ts';
import { ids, instance, store } from './store.ts';
import { log, logged } from './telemetry.ts';

const config = readConfig({ ...readyVariables, ...recoveryVariables, ...schedulerVariables });
const { REEVE_QUEUES: queues } = config;
const requests = requestsByAgent(
  new Map(config.REEVE_AGENTS.map((agent) => [agent, requestsTo(agent)])),
);
const role = assembleScheduler({
  id: schedulerId(instance),
  store,
  channels: { nudges, requests },
  ...(config.REEVE_RECOVERY === 'prompt' && { checks: deadlineChecks }),
  clock: systemClock,
  ids,
  random: systemRandom,
  log: metered(log),
  registry: workflowRegistry(workflows),
});
const handling = {
  park: parking(sqs, (arn) => deadLettersOf(queues, arn)),
  hide: hideMessages(sqs),
  random: systemRandom,
  log,
};

export const handler = logged<SQSEvent, SQSBatchResponse>((event) => {
  // An invocation has messages of one queue, which identifies the replying agent, if any.
  const agent = replyingAgent(queues, event.Records[0]?.eventSourceARN ?? '');
  return agent === undefined
    ? deliverBatch(event, { codec: nudgeCodec, receive: role.onNudges, ...handling })
    : deliverBatch(event, {
        codec: replyCodec,
        receive: (replies) => role.onReplies(agentName(agent), replies),
        ...handling,
      });
});

function requestsTo(agent: string) {
  const queueOf = byPriority(
    queuesOf(config.REEVE_PRIORITIES, (priority) => queueNames.request(queues, agent, priority)),
  );
  return sqsChannel({ client: sqs, codec: requestCodec, queueOf });
}
