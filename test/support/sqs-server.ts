/** An SQS-compatible server in this process. */
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { sqsClient } from '#aws/clients/sqs-client.ts';
import { testCredentials } from './dynamo-server.ts';

export interface SqsServer {
  readonly endpoint: string;
  client(): SQSClient;
  /** The URL of a new queue in AWS's form, because this server's own has an invalid host name. */
  queue(attributes?: Readonly<Record<string, string>>, name?: string): Promise<string>;
  close(): Promise<void>;
}

/** Started manually, because the server's own start listens on every interface. */
export async function startSqs(): Promise<SqsServer> {
  process.env['AWS_REGION'] = 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] = testCredentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = testCredentials.secretAccessKey;
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = () => sqsClient({ endpoint });
  let queues = 0;
  return {
    endpoint,
    client,
    async queue(attributes = {}, name) {
      queues += 1;
      const ending = attributes['FifoQueue'] === 'true' ? '.fifo' : '';
      const QueueName = name ?? `queue-${queues}${ending}`;
      await client().send(new CreateQueueCommand({ QueueName, Attributes: { ...attributes } }));
      return `${endpoint}/000000000000/${QueueName}`;
    },
    close: async () => {
      await app.close();
    },
  };
}

/** The ARN of a queue of this server, from its URL. */
export const queueArn = (url: string) =>
  `arn:aws:sqs:us-east-1:000000000000:${new URL(url).pathname.split('/').at(-1)}`;
