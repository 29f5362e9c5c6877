/**
 * The notifier: invoked by the change stream of the Processes table, and by the retry queue with
 * notifications that could not be delivered.
 */
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import type { BatchResponse, LambdaHandler, QueueEvent, StreamEvent } from '#aws/lambda-events.ts';
import { awsPublisher } from '#aws/notifications/aws-publisher.ts';
import { changeParking } from '#aws/notifications/change-dead-letter.ts';
import { responseChannels } from '#aws/notifications/response-channel.ts';
import { retryChannel } from '#aws/notifications/retry-queue.ts';
import { deliverStream } from '#aws/notifications/stream-batch.ts';
import { deliverFifo } from '#aws/queues/fifo-batch.ts';
import { hideMessages } from '#aws/queues/hide-messages.ts';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { dynamoLines } from '#aws/store/dynamo-lines.ts';
import { forgetOrders } from '#aws/store/forget-orders.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { assembleNotifier } from '#roles/assemble.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import {
  alertVariables,
  queueVariables,
  readConfig,
  responseVariables,
  tableVariables,
} from './config.ts';
import { metered } from './metered.ts';
import { publish } from './metrics.ts';
import { log, loggedBatches } from './telemetry.ts';

const variables = {
  ...alertVariables,
  ...queueVariables,
  ...responseVariables,
  ...tableVariables,
};

/** The handler of the notifier's function. */
export function notifierHandler(): LambdaHandler<StreamEvent | QueueEvent, BatchResponse> {
  const config = readConfig(variables);
  const { REEVE_QUEUES: queues } = config;
  const sqs = sqsClient();
  const role = assembleNotifier({
    publisher: awsPublisher({
      sqs,
      eventBridge: eventBridgeClient(),
      eventBus: config.REEVE_EVENT_BUS,
      deployment: config.REEVE_DEPLOYMENT,
      command: config.REEVE_COMMAND,
      responseChannels: responseChannels(queues, config.REEVE_RESPONSE_CHANNELS),
    }),
    retries: retryChannel(sqs, queueNames.retry(queues)),
    log,
  });
  const forgetting = forgettingFrom(config.REEVE_ORDERS_TABLE);
  const retrying = { hide: hideMessages(sqs), clock: systemClock, log: metered(log, publish) };
  const park = changeParking(sqs, deadLetterNames.change(queues));

  async function onStream(event: StreamEvent): Promise<BatchResponse> {
    const { response, stopped } = await deliverStream(event, {
      notifier: role,
      forget: (removed) => forgetOrders(forgetting, removed),
      park,
      log,
    });
    publish({
      OrdersProcessed: stopped.Processed,
      OrdersUndone: stopped.Undone,
      OrdersInError: stopped.Error,
    });
    return response;
  }

  return loggedBatches('changes', (event) =>
    isOfQueue(event)
      ? deliverFifo(event, { codec: notificationCodec, deliver: role.retry, ...retrying })
      : onStream(event),
  );
}

function forgettingFrom(table: string) {
  const client = dynamoClient();
  const lines = dynamoLines({ client, table, clock: systemClock, random: systemRandom });
  return { client, table, lines, log };
}

/** An invocation has records of one source only. */
function isOfQueue(event: StreamEvent | QueueEvent): event is QueueEvent {
  return event.Records.some((record) => 'messageId' in record);
}
