/** The requests of an agent, as SQS counts them. */
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqsRequestBacklog } from '#aws/queues/request-backlog.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server?.close());

/** The URL of a queue with so many messages, of which some are in flight. */
async function queueWith(sent: number, received: number): Promise<string> {
  const client = server.client();
  const QueueUrl = await server.queue();
  for (let at = 0; at < sent; at += 1) {
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: `request ${at}` }));
  }
  if (received > 0) {
    await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: received }));
  }
  return QueueUrl;
}

test('the requests of all queues of an agent are counted, those in flight separately', async () => {
  const queues = [await queueWith(5, 2), await queueWith(3, 3), await queueWith(0, 0)];
  const backlog = sqsRequestBacklog(server.client(), (agent) => (agent === 'paint' ? queues : []));
  expect(await backlog.of('paint')).toEqual({ waiting: 3, inFlight: 5 });
  expect(await backlog.of('glaze')).toEqual({ waiting: 0, inFlight: 0 });
});

test('a queue that cannot be read is an error of SQS, not an empty queue', async () => {
  const gone = (await queueWith(0, 0)).replace(/queue-\d+$/, 'never-made');
  const backlog = sqsRequestBacklog(server.client(), () => [gone]);
  await expect(backlog.of('paint')).rejects.toBeInstanceOf(UnavailableError);
});
