/** An agent as a function: a batch of requests at once, each behind the circuit breaker. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { sqsClient } from '#aws/clients.ts';
import { gatheringChannel } from '#aws/gathering-channel.ts';
import { hideMessages } from '#aws/hide-messages.ts';
import { parking } from '#aws/parking.ts';
import { deliverBatch } from '#aws/queue-batch.ts';
import { deadLettersOf } from '#aws/queue-names.ts';
import { sqsChannel } from '#aws/sqs-channel.ts';
import { withinTime } from '#aws/within-time.ts';
import type { JsonValue } from '#core/json.ts';
import { replyCodec, requestCodec } from '#core/message-codec.ts';
import type { AgentImplementation } from '#ports/agent.ts';
import { assembleAgent } from '#roles/assemble.ts';
import { cockatielBreaker } from '#runtime/cockatiel-breaker.ts';
import { systemClock } from '#runtime/system-clock.ts';
import { systemRandom } from '#runtime/system-ids.ts';
import { agentVariables, queueVariables, readConfig } from './config.ts';
import { log, logged } from './telemetry.ts';

/** Replies of one batch that come within this leave together, ms. */
const gatherMs = 10;
const sendBatchMax = 10;

/** The handler of one agent's function. */
export function agentHandler<Input extends JsonValue, Output extends JsonValue>(
  implementation: AgentImplementation<Input, Output>,
) {
  const config = readConfig({ ...agentVariables, ...queueVariables });
  const sqs = sqsClient();
  const replies = gatheringChannel({
    channel: sqsChannel({
      client: sqs,
      codec: replyCodec,
      queueOf: () => config.REEVE_REPLY_QUEUE,
    }),
    clock: systemClock,
    waitMs: gatherMs,
    batchMax: sendBatchMax,
  });
  const { runner } = assembleAgent(implementation, {
    repliesOf: () => replies,
    breakerFor: cockatielBreaker,
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
            withinTime(runner.handle(request), systemClock, context.getRemainingTimeInMillis()),
          ),
        ),
      park,
      hide,
      random: systemRandom,
      log,
    }),
  );
}
