/**
 * The notifier: invoked by the change stream of the Processes table, and by the retry queue with
 * notifications that could not be delivered.
 */
import type {
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { dynamoClient, eventBridgeClient, sqsClient } from '#aws/clients.ts';
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
import { publish } from './metrics.ts';
import { log, logged } from './telemetry.ts';

const config = readConfig({
  ...alertVariables,
  ...queueVariables,
  ...responseVariables,
  ...tableVariables,
});
const { REEVE_QUEUES: queues } = config;
const dynamo = dynamoClient();
const sqs = sqsClient();
const role = assembleNotifier({
  publisher: awsPublisher({
    sqs,
    eventBridge: eventBridgeClient(),
    eventBus: config.REEVE_EVENT_BUS,
    deployment: config.REEVE_DEPLOYMENT,
    command: `npx reeve --stack ${config.REEVE_DEPLOYMENT}`,
    responseChannels: responseChannels(queues, config.REEVE_RESPONSE_CHANNELS),
  }),
  retries: retryChannel(sqs, queueNames.retry(queues)),
  log,
});
const forgetting = {
  client: dynamo,
  table: config.REEVE_ORDERS_TABLE,
  lines: dynamoLines({
    client: dynamo,
    table: config.REEVE_ORDERS_TABLE,
    clock: systemClock,
    random: systemRandom,
  }),
  log,
};
const hide = hideMessages(sqs);
const park = changeParking(sqs, deadLetterNames.change(queues));

async function onStream(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
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

export const handler = logged<
  DynamoDBStreamEvent | SQSEvent,
  DynamoDBBatchResponse | SQSBatchResponse
>((event) =>
  isOfQueue(event)
    ? deliverFifo(event, { codec: notificationCodec, deliver: role.retry, hide, log })
    : onStream(event),
);

/** An invocation has records of one source only. */
function isOfQueue(event: DynamoDBStreamEvent | SQSEvent): event is SQSEvent {
  return event.Records.some((record) => 'messageId' in record);
}
