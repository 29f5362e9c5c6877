/** The store on a DynamoDB-compatible server, as its contract wants it. */
import { dynamoStore } from '#aws/dynamo-store.ts';
import type { StoreUnderTest } from '../contracts/state-store.ts';
import { createTables, type DynamoServer } from './dynamo-server.ts';

export async function dynamoUnderTest({ client }: DynamoServer): Promise<StoreUnderTest> {
  const tables = await createTables(client);
  const store = { client, tables, shards: 3, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 };
  const open = (): StoreUnderTest => ({
    store: dynamoStore(store),
    // Nothing of the store lives in the process.
    reopen: async () => open(),
    close: async () => {},
  });
  return open();
}
