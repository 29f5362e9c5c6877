/** Consumes a queue by a function, as Lambda does: deletes messages that the function does not return. */
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { sqsRecord } from './sqs-record.ts';
import { queueArn } from './sqs-server.ts';

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** The function's timeout, ms: below the visibility timeout of the queue. */
const functionTimeoutMs = 10_000;

/** Starts at once; the returned function stops after the current batch. */
export function pollQueue(client: SQSClient, queue: string, handler: Handler): () => Promise<void> {
  let stopped = false;
  const polling = (async () => {
    while (!stopped) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      if (Messages.length > 0) await consumeBatch(client, queue, Messages, handler);
    }
  })();
  // A function that throws ends the polling, and fails the test when it closes.
  polling.catch(() => {});
  return async () => {
    stopped = true;
    await polling;
  };
}

async function consumeBatch(
  client: SQSClient,
  queue: string,
  messages: readonly Message[],
  handler: Handler,
): Promise<void> {
  const records = messages.map(({ MessageId = '', Body = '' }) =>
    sqsRecord(MessageId, Body, queueArn(queue)),
  );
  const began = performance.now();
  const remaining = () => functionTimeoutMs - (performance.now() - began);
  const { batchItemFailures } = await handler({ Records: records }, lambdaContext(remaining));
  const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { MessageId = '', ReceiptHandle } of messages) {
    if (again.has(MessageId)) continue;
    await client.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
  }
}

/** The context of an invocation with ten seconds. */
export const lambdaContext = (remaining = () => functionTimeoutMs): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'test',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:test',
  memoryLimitInMB: '256',
  awsRequestId: 'request',
  logGroupName: 'test',
  logStreamName: 'test',
  getRemainingTimeInMillis: remaining,
  done() {},
  fail() {},
  succeed() {},
});
