/**
 * The SDK's clients with timeouts. A call without an answer must end well within a function's time, and a
 * queue URL must never decide where a signed request is sent.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';

export interface ClientOptions {
  /** @default the region's endpoint */
  readonly endpoint?: string;
  /** How long an answer may take, ms. @default 2 s */
  readonly requestTimeoutMs?: number;
}

const connectionTimeoutMs = 500;
const requestTimeoutMs = 2_000;
/** Three calls in total. Afterwards the message's redelivery and the Supervisor retry. */
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

/** @param secret its ARN, whose region may differ from the function's, or its name in the region of the function */
export function secretsClient(secret: string, options: ClientOptions = {}): SecretsManagerClient {
  const [, , , region] = secret.split(':');
  return new SecretsManagerClient({ ...common(options), ...(region !== undefined && { region }) });
}
