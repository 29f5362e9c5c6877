/** The SDK's clients: their timeouts and tries. */
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListEventBusesCommand } from '@aws-sdk/client-eventbridge';
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import type { ClientOptions } from '#aws/clients/client-options.ts';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { eventBridgeClient } from '#aws/clients/event-bridge-client.ts';
import { lambdaClient } from '#aws/clients/lambda-client.ts';
import { secretsClient } from '#aws/clients/secrets-client.ts';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { answeringServer } from '../support/answering-server.ts';

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
});

/** Something that a client is asked, and what its requests are handled by. */
interface Asked {
  readonly handler: object;
  ask(): Promise<unknown>;
}

const clients: [string, (options?: ClientOptions) => Asked][] = [
  [
    'DynamoDB',
    (options) => {
      const client = dynamoClient(options);
      const ask = () => client.send(new ListTablesCommand({}));
      return { ask, handler: client.config.requestHandler };
    },
  ],
  [
    'SQS',
    (options) => {
      const client = sqsClient(options);
      const ask = () => client.send(new ListQueuesCommand({}));
      return { ask, handler: client.config.requestHandler };
    },
  ],
  [
    'EventBridge',
    (options) => {
      const client = eventBridgeClient(options);
      const ask = () => client.send(new ListEventBusesCommand({}));
      return { ask, handler: client.config.requestHandler };
    },
  ],
  [
    'Secrets Manager',
    (options) => {
      const client = secretsClient(
        'arn:aws:secretsmanager:us-east-1:123456789012:secret:one',
        options,
      );
      const ask = () => client.send(new ListSecretsCommand({}));
      return { ask, handler: client.config.requestHandler };
    },
  ],
  [
    'Lambda',
    (options) => {
      const client = lambdaClient(options);
      const ask = () => client.send(new ListFunctionsCommand({}));
      return { ask, handler: client.config.requestHandler };
    },
  ],
];

/** The handler's settings, which no type of the SDK exposes. */
function settings(handler: object): unknown {
  return 'httpHandlerConfigs' in handler && typeof handler.httpHandlerConfigs === 'function'
    ? handler.httpHandlerConfigs()
    : undefined;
}

describe.each(clients)('the client of %s', (_, clientOf) => {
  test('gives up a call that is never answered, after two more tries', async () => {
    const { url: endpoint } = await answeringServer(() => {});
    const { ask } = clientOf({ endpoint, requestTimeoutMs: 30 });
    // Of the client, because a try on a busy machine may end before the server has received it.
    await expect(ask()).rejects.toMatchObject({
      name: 'TimeoutError',
      $metadata: { attempts: 3 },
    });
  });

  test('waits two seconds for an answer, and half a second for a connection', async () => {
    const { url: endpoint } = await answeringServer((response) => response.end('{}'));
    const { ask, handler } = clientOf({ endpoint });
    await ask();
    expect(settings(handler)).toMatchObject({
      connectionTimeout: 500,
      requestTimeout: 2_000,
      throwOnRequestTimeout: true,
    });
  });

  test('calls the service of its region without a given endpoint', async () => {
    const { url: endpoint, received } = await answeringServer((response) => response.end('{}'));
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
    await clientOf().ask();
    expect(received).toHaveLength(1);
  });
});

test('the address of a queue does not decide where its client sends a request, and its credentials', async () => {
  const client = sqsClient();
  let host = '';
  client.middlewareStack.add(
    () => async (call) => {
      host = requestOf.parse(call.request).hostname;
      throw new Error('It is not sent.');
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const QueueUrl = 'https://sqs.evil.example/123456789012/ready';
  const asked = client.send(new GetQueueAttributesCommand({ QueueUrl }));
  await expect(asked).rejects.toThrow('It is not sent.');
  expect(host).toBe('sqs.us-east-1.amazonaws.com');
});

const requestOf = z.object({ hostname: z.string() });
