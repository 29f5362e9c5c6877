/** The notifier: invoked by the change stream of the Processes table. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { awsPublisher } from '#aws/aws-publisher.ts';
import { dynamoClient, eventBridgeClient, sqsClient } from '#aws/clients.ts';
import { forgetOrders } from '#aws/forget-orders.ts';
import { responseChannels } from '#aws/response-channel.ts';
import { deliverStream } from '#aws/stream-batch.ts';
import { notifier } from '#roles/notifier.ts';
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
const dynamo = dynamoClient();
const publisher = awsPublisher({
  sqs: sqsClient(),
  eventBridge: eventBridgeClient(),
  eventBus: config.REEVE_EVENT_BUS,
  deployment: config.REEVE_DEPLOYMENT,
  responseChannels: responseChannels(config.REEVE_QUEUES, config.REEVE_RESPONSE_CHANNELS),
});

export const handler = logged<DynamoDBStreamEvent, DynamoDBBatchResponse>(async (event) => {
  const { response, stopped } = await deliverStream(event, {
    notifier: notifier(publisher, `npx reeve --stack ${config.REEVE_DEPLOYMENT}`),
    forget: (orderIds) => forgetOrders(dynamo, config.REEVE_ORDERS_TABLE, orderIds),
    log,
  });
  publish({
    OrdersProcessed: stopped.Processed,
    OrdersUndone: stopped.Undone,
    OrdersInError: stopped.Error,
  });
  return response;
});
