/** An SQS-compatible queue with its dead-letter queue, in the form of the queue contract. */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type QueueUnderTest, type Received, receivesMax } from '../contracts/queue.ts';
import { queueArn, type SqsServer } from './sqs-server.ts';

/** Entries of one batch request (SQS). */
const batchMax = 10;
/** Longer than any test; only the contract advances it, s. */
const hiddenSeconds = 3_600;

export async function sqsUnderTest(server: SqsServer): Promise<QueueUnderTest> {
  const client = server.client();
  const dead = await server.queue();
  const url = await server.queue({
    VisibilityTimeout: String(hiddenSeconds),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: queueArn(dead),
      maxReceiveCount: receivesMax,
    }),
  });
  /** A receipt belongs to one delivery, not to its message. */
  const receipts = new WeakMap<Received, string>();
  let hidden: string[] = [];

  return {
    async send(bodies) {
      for (const batch of inBatches(bodies)) {
        const Entries = batch.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({ QueueUrl: url, Entries }),
        );
        if (Failed.length > 0) throw new Error(`${Failed.length} messages were not taken`);
      }
    },

    async receive() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: batchMax,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      );
      return Messages.map(({ MessageId: id = '', Body: body = '', ReceiptHandle, Attributes }) => {
        const message = { id, body, receives: Number(Attributes?.['ApproximateReceiveCount']) };
        const receipt = ReceiptHandle ?? '';
        receipts.set(message, receipt);
        hidden.push(receipt);
        return message;
      });
    },

    async acknowledge(messages) {
      for (const batch of inBatches(messages)) {
        const Entries = batch.map((message, at) => {
          const receipt = receipts.get(message);
          if (receipt === undefined) throw new Error('never received here');
          return { Id: String(at), ReceiptHandle: receipt };
        });
        const { Failed = [] } = await client.send(
          new DeleteMessageBatchCommand({ QueueUrl: url, Entries }),
        );
        if (Failed.length > 0) throw new Error(`not acknowledged: ${Failed[0]?.Code}`);
      }
    },

    async visibilityTimeoutPasses() {
      const before = hidden;
      hidden = [];
      await unhide(client, url, before);
    },

    async deadLetters() {
      const bodies: string[] = [];
      const looked: string[] = [];
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl: dead, MaxNumberOfMessages: batchMax }),
        );
        if (Messages.length === 0) break;
        for (const { Body = '', ReceiptHandle = '' } of Messages) {
          bodies.push(Body);
          looked.push(ReceiptHandle);
        }
      }
      await unhide(client, dead, looked);
      return bodies;
    },
  };
}

/** SQS reports messages that were deleted meanwhile as not in flight, which is expected. */
async function unhide(client: SQSClient, url: string, receipts: readonly string[]): Promise<void> {
  for (const batch of inBatches(receipts)) {
    const Entries = batch.map((ReceiptHandle, at) => ({
      Id: String(at),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }));
  }
}

function inBatches<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += batchMax) batches.push(items.slice(at, at + batchMax));
  return batches;
}
