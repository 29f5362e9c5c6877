import { afterAll, beforeAll } from 'vitest';
import { dynamoLimitItems } from '#aws/store/dynamo-limit-items.ts';
import { limitItemsContract } from '../contracts/limit-items.ts';
import { createTables, type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

limitItemsContract('DynamoDB (Dynoxide)', async () => {
  const { coordination } = await createTables(server.client);
  return dynamoLimitItems(server.client, coordination);
});
