/** An SQS-compatible server in this process. */
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { sqsClient } from '#aws/clients.ts';
import { testCredentials } from './dynamo-server.ts';

export interface SqsServer {
  readonly endpoint: string;
  client(): SQSClient;
  /** A new queue's URL, as AWS writes it: this server's own has a host name that is none. */
  queue(): Promise<string>;
  close(): Promise<void>;
}

/** By hand, because the server's own start listens on every interface. */
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
    async queue() {
      queues += 1;
      await client().send(new CreateQueueCommand({ QueueName: `queue-${queues}` }));
      return `${endpoint}/000000000000/queue-${queues}`;
    },
    close: async () => {
      await app.close();
    },
  };
}
