/**
 * The SDK's clients, with timeouts that hold. Defaults are stated where they matter: a call without an
 * answer must end well within a function's time, and a queue's URL must never decide where a signed
 * request goes.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';

/** Where the calls go; null: what the region says. */
export interface ClientOptions {
  readonly endpoint?: string;
  /** How long an answer may take, ms. Default 2 s. */
  readonly requestTimeoutMs?: number;
}

const connectionTimeoutMs = 500;
const requestTimeoutMs = 2_000;
/** The first try and two more: then the message's redelivery and the Supervisor take over. */
const maxAttempts = 3;

function common({ endpoint, requestTimeoutMs: requestTimeout = requestTimeoutMs }: ClientOptions) {
  return {
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout,
      // Without this, `requestTimeout` only warns (node-http-handler 4.4 and later).
      throwOnRequestTimeout: true,
    },
    ...(endpoint !== undefined && { endpoint }),
  };
}

export const dynamoClient = (options: ClientOptions = {}) => new DynamoDBClient(common(options));

export const sqsClient = (options: ClientOptions = {}) =>
  new SQSClient({ ...common(options), useQueueUrlAsEndpoint: false });

export const eventBridgeClient = (options: ClientOptions = {}) =>
  new EventBridgeClient(common(options));

export const lambdaClient = (options: ClientOptions = {}) => new LambdaClient(common(options));
