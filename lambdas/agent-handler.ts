/** An agent as a function: a batch of requests at once, each call behind the circuit breaker. */

import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { beforeTimeout } from '#aws/before-timeout.ts';
import { sqsClient } from '#aws/clients.ts';
import { batchingChannel } from '#aws/queues/batching-channel.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { parking } from '#aws/queues/parking.ts';
import { deliverBatch } from '#aws/queues/queue-batch.ts';
import { deadLettersOf } from '#aws/queues/queue-names.ts';
import { sqsChannel } from '#aws/queues/sqs-channel.ts';
import { replyCodec, requestCodec } from '#core/codec/message-codec.ts';
import type { JsonValue } from '#core/model/json.ts';
import { ungatedBreaker } from '#in-process/circuit-breaker.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { assembleAgent } from '#roles/assemble.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { agentVariables, queueVariables, readConfig } from './config.ts';
import { log, logged } from './telemetry.ts';

/** How long replies wait to share a request to SQS, ms. */
const batchWaitMs = 10;
const sendBatchMax = 10;

/** The handler of one agent's function. */
export function agentHandler<Input extends JsonValue, Output extends JsonValue>(
  implementation: AgentImplementation<Input, Output>,
) {
  const config = readConfig({ ...agentVariables, ...queueVariables });
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
  const runner = assembleAgent(implementation, {
    repliesOf: () => replies,
    breakerFor: () => ungatedBreaker(systemClock),
    clock: systemClock,
    random: systemRandom,
    log,
  });
  const hide = hideMessages(sqs);
  const park = parking(sqs, (arn) => deadLettersOf(config.REEVE_QUEUES, arn));

  return logged<SQSEvent, SQSBatchResponse>((event, context) =>
    deliverBatch(event, {
      codec: requestCodec,
      receive: (requests) =>
        Promise.all(
          requests.map((request) =>
            beforeTimeout(runner.handle(request), systemClock, context.getRemainingTimeInMillis()),
          ),
        ),
      park,
      hide,
      random: systemRandom,
      log,
    }),
  );
}
