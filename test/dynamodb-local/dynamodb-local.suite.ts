import { afterAll, beforeAll } from 'vitest';
import { stateStoreContract } from '../contracts/state-store.ts';
import type { DynamoServer } from '../support/dynamo-server.ts';
import { dynamoUnderTest } from '../support/dynamo-under-test.ts';
import { startDynamoDbLocal } from './start.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynamoDbLocal();
});
afterAll(() => server?.close());

stateStoreContract('DynamoDB Local', () => dynamoUnderTest(server));
