import { afterAll, beforeAll } from 'vitest';
import { dynamoStore } from '#aws/dynamo-store.ts';
import { type StoreUnderTest, stateStoreContract } from '../contracts/state-store.ts';
import { createTables, type DynamoServer } from '../support/dynamo-server.ts';
import { startDynamoDbLocal } from './start.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynamoDbLocal();
});
afterAll(() => server?.close());

stateStoreContract('DynamoDB Local', async () => {
  const tables = await createTables(server.client);
  const open = (): StoreUnderTest => ({
    store: dynamoStore({
      client: server.client,
      tables,
      shards: 3,
      sweepPeriodMs: 60_000,
      keepEndedMs: 3_600_000,
    }),
    // Nothing of the store lives in the process.
    reopen: async () => open(),
    close: async () => {},
  });
  return open();
});
