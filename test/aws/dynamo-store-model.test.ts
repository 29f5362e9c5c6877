import { afterAll, beforeAll } from 'vitest';
import { stateStoreModel } from '../contracts/state-store-model.ts';
import { type DynamoServer, startDynoxide } from '../support/dynamo-server.ts';
import { dynamoUnderTest } from '../support/dynamo-under-test.ts';

let server: DynamoServer;
beforeAll(async () => {
  server = await startDynoxide();
});
afterAll(() => server?.close());

stateStoreModel('DynamoDB (Dynoxide)', () => dynamoUnderTest(server), 80);
