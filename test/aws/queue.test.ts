import { afterAll, beforeAll } from 'vitest';
import { queueContract } from '../contracts/queue.ts';
import { sqsUnderTest } from '../support/queue-under-test.ts';
import { type SqsServer, startSqs } from '../support/sqs-server.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startSqs();
});
afterAll(() => server?.close());

queueContract('SQS (fauxqs)', () => sqsUnderTest(server));
