/** A bulk submission through the front door: what it asks of DynamoDB and SQS. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { batchResultSchema } from '#http/schemas.ts';
import { workflows } from '#workflows/shipped.ts';
import { frontDoorHandler } from '../../lambdas/front-door.ts';
import { answeringAws } from '../support/answering-aws.ts';

const { workflow, details } = z
  .object({ workflow: z.string(), details: z.looseObject({}) })
  .parse(JSON.parse(readFileSync('examples/order.json', 'utf8')));
const sentSchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});

/** A front door whose store answers as the test says. */
async function frontDoor(store: (operation: string, nth: number) => object | Promise<object>) {
  const dynamo = await answeringAws(({ operation }, nth) => store(operation, nth));
  const sqs = await answeringAws(({ input }) => ({
    Successful: sentSchema.parse(input).Entries.map(({ Id, MessageBody }) => ({
      ...{ Id, MessageId: Id, MD5OfMessageBody: hash('md5', MessageBody) },
    })),
  }));
  const variables = {
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_PROCESSES_TABLE: 'processes',
    REEVE_COORDINATION_TABLE: 'coordination',
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    REEVE_KEEP_DAYS: '30',
    REEVE_BACKLOG_MAX: '900',
    REEVE_QUEUES: `${sqs.url}/000000000000/reeve`,
    REEVE_PRIORITIES: 'normal',
    REEVE_RESPONSE_CHANNELS: '{}',
    AWS_LAMBDA_FUNCTION_NAME: 'front-door',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const handler = frontDoorHandler({ workflows });
  const submit = async (orders: readonly object[]) => {
    const path = '/orders/batch';
    const event = {
      ...{ version: '2.0', routeKey: `POST ${path}`, rawPath: path, rawQueryString: '' },
      headers: { host: 'api.example', 'content-type': 'application/json' },
      requestContext: {
        authentication: null,
        ...{ accountId: '1', apiId: 'api', domainName: 'api.example', domainPrefix: 'api' },
        ...{ requestId: '1', routeKey: `POST ${path}`, stage: '$default', time: '', timeEpoch: 0 },
        http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '', userAgent: '' },
        authorizer: {
          iam: {
            ...{ accessKey: '', accountId: '1', callerId: '', userId: '' },
            ...{ cognitoIdentity: null, principalOrgId: null },
            userArn: 'arn:aws:iam::123456789012:user/ada',
          },
        },
      },
      body: JSON.stringify({ orders }),
      isBase64Encoded: false,
    };
    const context = {
      ...{ awsRequestId: '1', functionName: 'front-door', functionVersion: '1' },
      invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:front-door',
      ...{ memoryLimitInMB: '512', logGroupName: 'front-door', logStreamName: '1' },
      callbackWaitsForEmptyEventLoop: false,
      getRemainingTimeInMillis: () => 20_000,
      done() {},
      fail() {},
      succeed() {},
    };
    const answer = z
      .object({ statusCode: z.literal(200), body: z.string() })
      .parse(await handler(event, context));
    return batchResultSchema.parse(JSON.parse(answer.body)).orders;
  };
  return { submit, dynamo, sqs };
}

const order = (key: number) => ({ workflow, details, key: `k-${key}` });

test('each order is a transaction of its own, and up to ten of them are nudged by one request', async () => {
  const { submit, dynamo, sqs } = await frontDoor(() => ({}));
  const outcomes = await submit(Array.from({ length: 100 }, (_, at) => order(at)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(100).fill('accepted'));
  const asked = Map.groupBy(dynamo.calls, ({ operation }) => operation);
  expect(asked.get('TransactWriteItems')).toHaveLength(100);
  // The report of the backlog, once for all orders.
  expect(asked.get('GetItem')).toHaveLength(1);
  const sizes = sqs.calls.map(({ input }) => sentSchema.parse(input).Entries.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100);
  // How many share a request depends on how fast DynamoDB answers: those of 5 ms, at most ten.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
  expect(sizes.length).toBeLessThan(100);
});

test('a transaction that DynamoDB refuses fails its order alone', async () => {
  let writes = 0;
  const { submit } = await frontDoor((operation) => {
    if (operation !== 'TransactWriteItems') return {};
    writes += 1;
    return writes === 2 ? { __type: 'ValidationException', message: 'No.' } : {};
  });
  const outcomes = await submit([order(1), order(2), order(3)]);
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'accepted', 'failed']);
});

test('25 orders are stored at the same time, half of the connections of the client of DynamoDB', async () => {
  let [stored, most] = [0, 0];
  const { submit } = await frontDoor(async (operation) => {
    if (operation !== 'TransactWriteItems') return {};
    stored += 1;
    most = Math.max(most, stored);
    await setTimeout(20);
    stored -= 1;
    return {};
  });
  await submit(Array.from({ length: 100 }, (_, at) => order(at)));
  // A machine that is slow begins fewer of them at once.
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(25);
});
