/** The Scheduler: invoked by the ready queues and by each agent's reply queue. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { parking } from '#aws/parking.ts';
import { byPriority } from '#aws/priority-queues.ts';
import { deliverBatch } from '#aws/queue-batch.ts';
import { sqsChannel } from '#aws/sqs-channel.ts';
import { DefinitionError } from '#core/errors.ts';
import { schedulerId } from '#core/ids.ts';
import { nudgeCodec, replyCodec, requestCodec } from '#core/message-codec.ts';
import { workflowRegistry } from '#core/registry.ts';
import { scheduler } from '#roles/scheduler.ts';
import { transitions } from '#roles/transitions.ts';
import { systemClock } from '#runtime/system-clock.ts';
import { workflows } from '#workflows/shipped.ts';
import { nudges, sqs } from './channels.ts';
import { queueVariables, readConfig, schedulerVariables } from './config.ts';
import { ids, instance, store } from './store.ts';
import { log, logged } from './telemetry.ts';

const config = readConfig({ ...queueVariables, ...schedulerVariables });
const registry = workflowRegistry(workflows);
const requests = sqsChannel({
  client: sqs,
  codec: requestCodec,
  queueOf: (request) => {
    const queues = config.REEVE_REQUEST_QUEUES[request.agent];
    if (queues !== undefined) return byPriority(queues)(request);
    throw new DefinitionError(
      'agent-missing',
      `Agent ${request.agent} is not deployed. Add it to the stack's agents.`,
    );
  },
});
const role = scheduler({
  id: schedulerId(instance),
  log,
  transitions: transitions({
    store,
    channels: { nudges, requests },
    clock: systemClock,
    ids,
    log,
    registry,
  }),
});
const park = parking(sqs, config.REEVE_DEAD_LETTERS);

export const handler = logged<SQSEvent, SQSBatchResponse>((event) => {
  // One invocation is of one queue: which one says whether agents reply, and which agent.
  const agent = config.REEVE_REPLY_QUEUES[event.Records[0]?.eventSourceARN ?? ''];
  return agent === undefined
    ? deliverBatch(event, { codec: nudgeCodec, receive: role.onNudges, park, log })
    : deliverBatch(event, {
        codec: replyCodec,
        receive: (replies) => role.onReplies(agent, replies),
        park,
        log,
      });
});
