/** An agent as a function: a batch of requests at once, each call behind the circuit breaker. */

import { beforeTimeout } from '#aws/before-timeout.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import type { BatchResponse, LambdaHandler, QueueEvent, QueueMessage } from '#aws/lambda-events.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import { firstReceives } from '#aws/queues/first-receives.ts';
import { hideMessages, receivesOf } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf } from '#aws/queues/queue-names.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type { JsonValue } from '#core/model/json.ts';
import { slottedBreaker } from '#distributed/limits/slotted-breaker.ts';
import { queueClock } from '#distributed/queue-clock.ts';
import { sharedCircuitBreaker } from '#distributed/shared-circuit-breaker.ts';
import { sharedEjections } from '#distributed/shared-ejections.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import type { LimitItems } from '#ports/limit-items.ts';
import { assembleAgent } from '#roles/assemble.ts';
import { copyingAgent } from '#runtime/copies/agent-copies.ts';
import { systemClock, systemTimes } from '#runtime/node/system-clock.ts';
import { instanceName, systemRandom } from '#runtime/node/system-ids.ts';
import { agentVariables, coordinationVariables, queueVariables, readConfig } from './config.ts';
import { metered, publishedOnDemand } from './metered.ts';
import { onDemand } from './on-demand.ts';
import { log, loggedBatches } from './telemetry.ts';

/** How long replies wait to share a request to SQS, ms. */
const batchWaitMs = 10;
const sendBatchMax = 10;

/** The option of {@link agentHandler}. */
export interface AgentOption<Input extends JsonValue, Output extends JsonValue> {
  /** The agent's code. */
  readonly agent: AgentImplementation<Input, Output>;
}

/** The handler of one agent's function. */
export function agentHandler<Input extends JsonValue, Output extends JsonValue>({
  agent: implementation,
}: AgentOption<Input, Output>): LambdaHandler<QueueEvent, BatchResponse> {
  const config = readConfig({ ...agentVariables, ...queueVariables, ...coordinationVariables });
  const sqs = sqsClient();
  const replies = batchingChannel({
    channel: sqsChannel({
      client: sqs,
      codec: replyCodec,
      queueOf: () => config.REEVE_REPLY_QUEUE,
    }),
    clock: systemClock,
    waitMs: batchWaitMs,
    batchMax: sendBatchMax,
  });
  const {
    circuits,
    ejections: stored,
    limitItems,
  } = storedOnDemand(config.REEVE_COORDINATION_TABLE);
  const timeOfQueues = queueClock(systemTimes);
  const breaker = sharedCircuitBreaker({
    agent: implementation.contract.name,
    instance: instanceName(),
    circuits,
    clock: systemClock,
    queueClock: timeOfQueues,
    log,
  });
  const ejections = sharedEjections({
    agent: implementation.contract.name,
    ejections: stored,
    clock: systemClock,
    log,
  });
  const { publish, published } = publishedOnDemand();
  const meteredLog = metered(log, publish);
  const runner = assembleAgent(copyingAgent(implementation), {
    repliesOf: () => replies,
    breakerFor: () => slottedBreaker({ breaker, items: limitItems, queueClock: timeOfQueues, log }),
    clock: systemClock,
    random: systemRandom,
    log: meteredLog,
    ejections,
  });
  const hide = hideMessages(sqs);
  const park = parking(sqs, (arn) => deadLettersOf(config.REEVE_QUEUES, arn));

  return loggedBatches('queue', async (event, context) => {
    timeOfQueues.received(firstReceives(event));
    const response = await deliverBatch(event, {
      codec: requestCodec,
      receive: (requests, records) =>
        Promise.all(
          requests.map((request, at) =>
            beforeTimeout(
              runner.handle(request, isFirstReceive(records[at])),
              systemClock,
              context.getRemainingTimeInMillis(),
            ),
          ),
        ),
      park,
      hide,
      random: systemRandom,
      log: meteredLog,
    });
    // Lambda suspends the instance after the response.
    await Promise.all([breaker.stored(), ejections.stored(), published()]);
    return response;
  });
}

interface Stored {
  readonly circuits: Circuits;
  readonly ejections: Ejections;
  readonly limitItems: LimitItems;
}

/** Most calls need nothing stored, so the client of DynamoDB is loaded after the first one that failed, or missed its slot. */
function storedOnDemand(table: string): Stored {
  const loaded = onDemand(async () => {
    const { circuitsOf, ejectionsOf, limitItemsOf } = await import('./agent-stores.ts');
    return {
      circuits: circuitsOf(table),
      ejections: ejectionsOf(table),
      limitItems: limitItemsOf(table),
    };
  });
  return {
    circuits: {
      read: async (agent) => (await loaded()).circuits.read(agent),
      store: async (agent, circuit, after) =>
        (await loaded()).circuits.store(agent, circuit, after),
    },
    ejections: {
      read: async (agent) => (await loaded()).ejections.read(agent),
      store: async (agent, ejection, nowMs) =>
        (await loaded()).ejections.store(agent, ejection, nowMs),
    },
    limitItems: {
      advance: async (name, change) => (await loaded()).limitItems.advance(name, change),
      occupy: async (name, change) => (await loaded()).limitItems.occupy(name, change),
      extend: async (name, holder, extension) =>
        (await loaded()).limitItems.extend(name, holder, extension),
    },
  };
}

const isFirstReceive = (record: QueueMessage | undefined) =>
  record !== undefined && receivesOf(record) === 1;
