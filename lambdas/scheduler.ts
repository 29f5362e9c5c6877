/** The Scheduler: invoked by the ready queues and by each agent's reply queue. */
import type { BatchResponse, LambdaHandler, QueueEvent } from '#aws/lambda-events.ts';
import { firstReceives, firstSent } from '#aws/queues/first-receives.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf, queueNames, replyingAgent } from '#aws/queues/queue-names.ts';
import { byPriority, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { sqsRequestBacklog } from '#aws/queues/request-backlog.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { dynamoAgentSettings } from '#aws/store/dynamo-agent-settings.ts';
import { dynamoHeldSteps } from '#aws/store/dynamo-held-steps.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { dynamoReplyDelays } from '#aws/store/health/dynamo-reply-delays.ts';
import { heldWeights } from '#aws/store/held-key.ts';
import { dynamoLimitItems } from '#aws/store/limits/dynamo-limit-items.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { limitsOf, poolsOf, workflowRegistry } from '#core/definition/registry.ts';
import { type AgentName, agentName, schedulerId } from '#core/model/ids.ts';
import type { Reply } from '#core/model/message.ts';
import { anyQueue } from '#distributed/any-queue.ts';
import { heldStarter } from '#distributed/held-starter.ts';
import { knownSettings } from '#distributed/known-settings.ts';
import { sharedLimits } from '#distributed/limits/shared-limits.ts';
import { type QueueClock, queueClock } from '#distributed/queue-clock.ts';
import { replyDelayNotes } from '#distributed/reply-delay-notes.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import { assembleScheduler } from '#roles/assemble.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import { copyingWorkflows } from '#runtime/copies/workflow-copies.ts';
import { systemClock, systemTimes } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nudgeChannel, type SqsClient } from './channels.ts';
import { deadlineCheckChannel } from './check-channel.ts';
import {
  coordinationVariables,
  readConfig,
  readyVariables,
  recoveryVariables,
  schedulerVariables,
  storeVariables,
  tenantVariables,
} from './config.ts';
import { metered, publishedOnDemand } from './metered.ts';
import { type FunctionStore, functionStore } from './store.ts';
import { log, loggedBatches } from './telemetry.ts';
import type { WorkflowsOption } from './workflows-option.ts';

const variables = {
  ...readyVariables,
  ...recoveryVariables,
  ...schedulerVariables,
  ...storeVariables,
  ...coordinationVariables,
  ...tenantVariables,
};
type Config = ReturnType<typeof readConfig<typeof variables>>;

/** The handler of the Scheduler's function. */
export function schedulerHandler({
  workflows,
}: WorkflowsOption): LambdaHandler<QueueEvent, BatchResponse> {
  const config = readConfig(variables);
  const { REEVE_QUEUES: queues } = config;
  const isGathered = config.REEVE_BATCH_WINDOW_SECONDS > 0;
  const { sqs, nudges } = nudgeChannel();
  const ownStore = functionStore();
  const timeOfQueues = queueClock(systemTimes);
  const { gates, settings, heldSteps } = admissionTo(config, workflows, {
    ...ownStore,
    sqs,
    timeOfQueues,
  });
  const { instance, store, ids } = ownStore;
  const { publish, published } = publishedOnDemand();
  const meteredLog = metered(log, publish);
  const role = assembleScheduler({
    id: schedulerId(instance),
    store,
    channels: { nudges, requests: requestChannels(config, sqs) },
    ...(config.REEVE_RECOVERY === 'prompt' && { checks: deadlineCheckChannel(sqs) }),
    clock: systemClock,
    ids,
    random: systemRandom,
    log: meteredLog,
    registry: workflowRegistry(copyingWorkflows(workflows)),
    gates,
    settings,
    heldSteps,
  });
  const replyDelays = replyDelayNotes({
    delays: dynamoReplyDelays(ownStore.dynamo, config.REEVE_COORDINATION_TABLE),
    ...{ clock: systemClock, queueClock: timeOfQueues, log },
  });
  const handling = {
    park: parking(sqs, (arn) => deadLettersOf(queues, arn)),
    hide: hideMessages(sqs),
    random: systemRandom,
    log: meteredLog,
  };

  async function handleReplies(agent: AgentName, event: QueueEvent): Promise<BatchResponse> {
    const receive = (replies: readonly Reply[]) => role.onReplies(agent, replies);
    const [response] = await Promise.all([
      deliverBatch(event, { codec: replyCodec, receive, ...handling }),
      replyDelays.received(agent, firstSent(event)),
    ]);
    return response;
  }

  return loggedBatches('queue', async (event) => {
    // In a batch window, a message is received long before it is handled: then it says nothing of the time, and this clock counts.
    if (!isGathered) timeOfQueues.received(firstReceives(event));
    // An invocation has messages of one queue, which identifies the replying agent, if any.
    const replying = replyingAgent(queues, event.Records[0]?.eventSourceARN ?? '');
    const response = await (replying === undefined
      ? deliverBatch(event, { codec: nudgeCodec, receive: role.onNudges, ...handling })
      : handleReplies(agentName(replying), event));
    await published();
    return response;
  });
}

interface AdmissionParts extends Pick<FunctionStore, 'dynamo' | 'instance'> {
  readonly sqs: SqsClient;
  readonly timeOfQueues: QueueClock;
}

/** What decides whether a step may start now: circuits, limits and settings of its agent; and what starts it later. */
function admissionTo(
  config: Config,
  workflows: WorkflowsOption['workflows'],
  { dynamo, instance, sqs, timeOfQueues }: AdmissionParts,
) {
  const limits = limitsOf(workflows);
  const settings = knownSettings({
    store: dynamoAgentSettings(dynamo, config.REEVE_COORDINATION_TABLE, log),
    isOftenChanged: limits.size > 0 || workflows.some((workflow) => workflow.hasPools),
    clock: systemClock,
    log,
  });
  const gates = sharedGates({
    instance,
    limited: config.REEVE_LIMITED_AGENTS,
    circuits: dynamoCircuits(dynamo, config.REEVE_COORDINATION_TABLE),
    backlog: sqsRequestBacklog(sqs, (agent) => Object.values(requestQueuesOf(config, agent))),
    limits: sharedLimits({
      instance,
      ...{ limits, settings },
      items: dynamoLimitItems(dynamo, config.REEVE_COORDINATION_TABLE),
      clock: systemClock,
      queueClock: timeOfQueues,
      random: systemRandom,
      log,
    }),
    clock: systemClock,
    log,
  });
  const heldSteps = heldStarter({
    gates,
    heldSteps: dynamoHeldSteps(dynamo, config.REEVE_PROCESSES_TABLE, log),
    pools: poolsOf(workflows),
    weightOf: heldWeights(config.REEVE_TENANT_WEIGHTS),
    clock: systemClock,
    random: systemRandom,
    log,
  });
  return { gates, settings, heldSteps };
}

const requestChannels = (config: Config, client: SqsClient) =>
  requestsByAgent(
    new Map(config.REEVE_AGENTS.map((agent) => [agent, requestsTo(config, client, agent)])),
  );

function requestsTo(config: Config, client: SqsClient, agent: string) {
  const queues = requestQueuesOf(config, agent);
  const common = { client, codec: requestCodec };
  return config.REEVE_LIMITED_AGENTS.includes(agent)
    ? anyQueue(
        Object.values(queues).map((url) => sqsChannel({ ...common, queueOf: () => url })),
        systemRandom,
      )
    : sqsChannel({ ...common, queueOf: byPriority(queues) });
}

function requestQueuesOf(config: Config, agent: string) {
  return queuesOf(config.REEVE_PRIORITIES, (priority) =>
    queueNames.request(config.REEVE_QUEUES, agent, priority),
  );
}
